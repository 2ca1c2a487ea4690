-- question: What did the user ask, what was answered, and what came next, where a signal was detected?
-- owner: analysts
-- grain: a detection, with the de-identified texts around it
-- columns:
--   dt: Partition day of the exchange.
--   signal_id: Id of the detection, for `tacit explain`.
--   signal: Kind of feedback.
--   rule: Rule within the signal that fired.
--   score: Calibrated probability where a model decides, 1.0 where a fact does.
--   source: Product or application that the log comes from.
--   conversation_id: Conversation of the exchange.
--   exchange_id: Exchange that the signal was found in.
--   model: Model that wrote the reply.
--   script: Writing system of the request.
--   request_text: De-identified request; null where there is none, it was not captured, or it is more than a day older.
--   reply_text: De-identified reply; null where it was not captured.
--   next_user_text: De-identified next user message; null where there is none or it was not captured.
--   outcome: The user wrote again, left, or the log ends too soon to say.
--   occurred_at: When the act happened; null where there is no clock.
WITH told AS (
    SELECT
        s.dt,
        s.signal_id,
        s.signal,
        s.rule,
        s.score,
        s.source,
        s.conversation_id,
        s.exchange_id,
        e.model,
        e.script,
        e.outcome,
        s.occurred_at,
        unnest([
            {text: 'request', message_id: e.request_id, first_day: -1, last_day: 0},
            {text: 'reply', message_id: e.reply_id, first_day: 0, last_day: 0},
            {text: 'next', message_id: e.next_user_id, first_day: 0, last_day: 1}
        ]) AS wanted
    FROM signals AS s
    INNER JOIN exchanges AS e ON e.dt = s.dt AND e.exchange_id = s.exchange_id
),
found AS (
    SELECT
        told.*,
        {said: m.text} AS message,
        newness(m.flags, m.arrival_dt, m.created_at, m.completed_at, m.digest) AS newness
    FROM told
    -- One pass over the messages for all three texts. The outer bounds on the day name no field, so that a question
    -- about one day reads the days around it and not the whole table.
    LEFT JOIN message_versions AS m
        ON m.dt BETWEEN told.dt - 1 AND told.dt + 1
        AND m.dt BETWEEN told.dt + told.wanted.first_day AND told.dt + told.wanted.last_day
        AND m.source = told.source
        AND m.conversation_id = told.conversation_id
        AND m.message_id = told.wanted.message_id
)
SELECT
    dt,
    signal_id,
    signal,
    rule,
    score,
    source,
    conversation_id,
    exchange_id,
    model,
    script,
    (arg_max(message, newness) FILTER (WHERE wanted.text = 'request')).said AS request_text,
    (arg_max(message, newness) FILTER (WHERE wanted.text = 'reply')).said AS reply_text,
    (arg_max(message, newness) FILTER (WHERE wanted.text = 'next')).said AS next_user_text,
    outcome,
    occurred_at
FROM found
-- signal_id and dt are the key; by the others a question can choose before any text is read.
GROUP BY ALL
