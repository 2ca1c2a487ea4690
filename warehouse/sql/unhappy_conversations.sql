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
WITH several AS (
    SELECT source, conversation_id
    FROM unhappy_days
    GROUP BY source, conversation_id
    HAVING count(*) > 1
),
counted AS (
    -- Most conversations show signals on one day only: their rows are right as they are, and need not be added up.
    SELECT
        source,
        conversation_id,
        dt AS first_dt,
        dt AS last_dt,
        unhappy_exchanges,
        detections,
        dislike,
        complain,
        dismiss,
        "repeat",
        rephrase,
        skim
    FROM unhappy_days
    ANTI JOIN several USING (source, conversation_id)
    UNION ALL
    SELECT
        source,
        conversation_id,
        min(dt) AS first_dt,
        max(dt) AS last_dt,
        sum(unhappy_exchanges)::BIGINT AS unhappy_exchanges,
        sum(detections)::BIGINT AS detections,
        sum(dislike)::BIGINT AS dislike,
        sum(complain)::BIGINT AS complain,
        sum(dismiss)::BIGINT AS dismiss,
        sum("repeat")::BIGINT AS "repeat",
        sum(rephrase)::BIGINT AS rephrase,
        sum(skim)::BIGINT AS skim
    FROM unhappy_days
    SEMI JOIN several USING (source, conversation_id)
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
