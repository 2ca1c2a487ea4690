-- question: Which requests went worst, and what was asked?
-- owner: analysts
-- grain: a request and the reply to it, among the hundred of its day with most signals
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
)
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
    request_kind(request.text) AS request_kind,
    request.text AS request_text,
    reply.text AS reply_text
FROM ranked AS r
INNER JOIN exchanges AS e ON e.dt = r.dt AND e.exchange_id = r.exchange_id
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
-- The newest version of each of the two: the best pair is among the pairs.
QUALIFY row_number() OVER (
    PARTITION BY r.dt, r.exchange_id
    ORDER BY
        newness(request.flags, request.arrival_dt, request.created_at, request.completed_at, request.digest) DESC,
        newness(reply.flags, reply.arrival_dt, reply.created_at, reply.completed_at, reply.digest) DESC
) = 1
