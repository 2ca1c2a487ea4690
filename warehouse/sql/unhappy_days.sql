-- question: On which days did each conversation show signals?
-- owner: analysts
-- grain: a conversation on one day on which at least one signal was detected
-- kept: by day, from signals 0 to 0
-- columns:
--   dt: Partition day of the detections.
--   source: Product or application that the log comes from.
--   conversation_id: Id of the conversation as it was logged.
--   unhappy_exchanges: Exchanges in which at least one signal was detected.
--   detections: Detections of all signals together.
--   dislike: Detections of dislike.
--   complain: Detections of complain.
--   dismiss: Detections of dismiss.
--   repeat: Detections of repeat.
--   rephrase: Detections of rephrase.
--   skim: Detections of skim.
SELECT
    dt,
    source,
    conversation_id,
    count(*) FILTER (WHERE "primary") AS unhappy_exchanges,
    count(*) AS detections,
    count(*) FILTER (WHERE signal = 'dislike') AS dislike,
    count(*) FILTER (WHERE signal = 'complain') AS complain,
    count(*) FILTER (WHERE signal = 'dismiss') AS dismiss,
    count(*) FILTER (WHERE signal = 'repeat') AS "repeat",
    count(*) FILTER (WHERE signal = 'rephrase') AS rephrase,
    count(*) FILTER (WHERE signal = 'skim') AS skim
FROM signals
GROUP BY dt, source, conversation_id
