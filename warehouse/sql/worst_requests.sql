-- question: Which requests went worst, and what was asked?
-- owner: analysts
-- grain: a request and the reply to it, among the hundred of its day with most signals
-- kept: by day, from exchanges 0 to 0, signals 0 to 0, messages -1 to 0
-- columns:
--   dt: Partition day of the exchange.
--   rank: Place among those of its day, from 1: most signals first, then the greatest sum of scores.
--   source: Product or application that the log comes from.
--   conversation_id: Conversation of the exchange.
--   exchange_id: The exchange.
--   model: Model that wrote the reply; null where the log does not say.
--   signals: Signals that were detected, in alphabetical order.
--   score: Sum of their scores.
--   outcome: The user wrote again, left, or the log ends too soon to say.
--   request_kind: Rough kind of the request, by the function of the same name.
--   request_text: De-identified request; null where there is none, it was not captured, or it is more than a day older.
--   reply_text: De-identified reply; null where it was not captured.
WITH ranked AS (
    SELECT
        dt,
        exchange_id,
        list(signal ORDER BY signal) AS signals,
        -- Added up in one order: sums of fractions depend on it.
        list_sum(list(score ORDER BY signal)) AS total,
        row_number() OVER (PARTITION BY dt ORDER BY count(*) DESC, total DESC, exchange_id) AS rank
    FROM signals
    GROUP BY dt, exchange_id
    QUALIFY rank <= 100
),
told AS (
    SELECT
        r.dt,
        r.rank,
        e.source,
        e.conversation_id,
        r.exchange_id,
        e.model,
        r.signals,
        r.total AS score,
        e.outcome,
        unnest([
            {text: 'request', message_id: e.request_id, first_day: -1},
            {text: 'reply', message_id: e.reply_id, first_day: 0}
        ]) AS wanted
    FROM ranked AS r
    INNER JOIN exchanges AS e ON e.dt = r.dt AND e.exchange_id = r.exchange_id
),
found AS (
    SELECT
        told.*,
        {said: m.text} AS message,
        newness(m.flags, m.arrival_dt, m.created_at, m.completed_at, m.digest) AS newness
    FROM told
    -- The outer bounds on the day name no field, so that a question about one day reads two days of messages.
    LEFT JOIN message_versions AS m
        ON m.dt BETWEEN told.dt - 1 AND told.dt
        AND m.dt >= told.dt + told.wanted.first_day
        AND m.source = told.source
        AND m.conversation_id = told.conversation_id
        AND m.message_id = told.wanted.message_id
),
read AS (
    SELECT
        dt,
        rank,
        source,
        conversation_id,
        exchange_id,
        model,
        signals,
        score,
        outcome,
        (arg_max(message, newness) FILTER (WHERE wanted.text = 'request')).said AS request_text,
        (arg_max(message, newness) FILTER (WHERE wanted.text = 'reply')).said AS reply_text
    FROM found
    GROUP BY ALL
)
SELECT
    * EXCLUDE (request_text, reply_text),
    request_kind(request_text) AS request_kind,
    request_text,
    reply_text
FROM read
