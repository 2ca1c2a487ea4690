-- question: Which conversations show most signals?
-- owner: analysts
-- grain: a conversation in which at least one signal was detected
-- columns:
--   source: Product or application that the log comes from.
--   conversation_id: Id of the conversation as it was logged.
--   first_dt: First partition day with a detection.
--   last_dt: Last partition day with a detection.
--   unhappy_exchanges: Exchanges in which at least one signal was detected.
--   detections: Detections of all signals together.
--   kinds: How many of the six signals were detected.
--   strongest: The strongest of them, in the order dislike, complain, dismiss, repeat, rephrase, skim.
--   dislike: Detections of dislike.
--   complain: Detections of complain.
--   dismiss: Detections of dismiss.
--   repeat: Detections of repeat.
--   rephrase: Detections of rephrase.
--   skim: Detections of skim.
-- It reads detections alone, so conversations without one are not in it; `conversations` has them all.
WITH counted AS (
    SELECT
        source,
        conversation_id,
        min(dt) AS first_dt,
        max(dt) AS last_dt,
        count(*) FILTER (WHERE "primary") AS unhappy_exchanges,
        count(*) AS detections,
        count(*) FILTER (WHERE signal = 'dislike') AS dislike,
        count(*) FILTER (WHERE signal = 'complain') AS complain,
        count(*) FILTER (WHERE signal = 'dismiss') AS dismiss,
        count(*) FILTER (WHERE signal = 'repeat') AS "repeat",
        count(*) FILTER (WHERE signal = 'rephrase') AS rephrase,
        count(*) FILTER (WHERE signal = 'skim') AS skim
    FROM signals
    GROUP BY source, conversation_id
)
SELECT
    source,
    conversation_id,
    first_dt,
    last_dt,
    unhappy_exchanges,
    detections,
    (dislike > 0)::INTEGER + (complain > 0)::INTEGER + (dismiss > 0)::INTEGER
        + ("repeat" > 0)::INTEGER + (rephrase > 0)::INTEGER + (skim > 0)::INTEGER AS kinds,
    CASE
        WHEN dislike > 0 THEN 'dislike'
        WHEN complain > 0 THEN 'complain'
        WHEN dismiss > 0 THEN 'dismiss'
        WHEN "repeat" > 0 THEN 'repeat'
        WHEN rephrase > 0 THEN 'rephrase'
        ELSE 'skim'
    END AS strongest,
    dislike,
    complain,
    dismiss,
    "repeat",
    rephrase,
    skim
FROM counted
