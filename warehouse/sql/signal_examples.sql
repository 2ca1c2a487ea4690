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
    request.text AS request_text,
    reply.text AS reply_text,
    next_user.text AS next_user_text,
    e.outcome,
    s.occurred_at
FROM signals AS s
INNER JOIN exchanges AS e ON e.dt = s.dt AND e.exchange_id = s.exchange_id
-- Days are bounded so that a question about one day reads the days around it, not the whole table.
LEFT JOIN message_versions AS request
    ON request.dt BETWEEN e.dt - 1 AND e.dt
    AND request.source = e.source
    AND request.conversation_id = e.conversation_id
    AND request.message_id = e.request_id
LEFT JOIN message_versions AS reply
    ON reply.dt = e.dt
    AND reply.source = e.source
    AND reply.conversation_id = e.conversation_id
    AND reply.message_id = e.reply_id
LEFT JOIN message_versions AS next_user
    ON next_user.dt BETWEEN e.dt AND e.dt + 1
    AND next_user.source = e.source
    AND next_user.conversation_id = e.conversation_id
    AND next_user.message_id = e.next_user_id
-- The newest version of each of the three: the best triple is among the triples.
QUALIFY row_number() OVER (
    PARTITION BY s.dt, s.signal_id
    ORDER BY
        newness(request.flags, request.arrival_dt, request.created_at, request.completed_at, request.digest) DESC,
        newness(reply.flags, reply.arrival_dt, reply.created_at, reply.completed_at, reply.digest) DESC,
        newness(
            next_user.flags, next_user.arrival_dt, next_user.created_at, next_user.completed_at, next_user.digest
        ) DESC
) = 1
