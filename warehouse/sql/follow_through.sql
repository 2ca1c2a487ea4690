-- question: What happened next after each signal: did the user go on, and did the next reply mend it?
-- owner: analysts
-- grain: a signal
-- columns:
--   signal: Kind of feedback.
--   detections: Exchanges in which it was detected.
--   followed: Of these, exchanges after which the user wrote again.
--   left_off: Exchanges after which the user left.
--   censored: Exchanges after which the log ends too soon to say.
--   answered: Exchanges whose next user message got a reply on the active branch.
--   mended: Of the answered, those whose next exchange shows no signal and is measurable for at least one.
--   same_again: Of the answered, those whose next exchange shows the same signal.
--   mended_share: Mended over answered; null where nothing was answered.
WITH next_one AS (
    SELECT
        source,
        conversation_id,
        request_id,
        list_filter([
            CASE WHEN dislike THEN 'dislike' END,
            CASE WHEN complain THEN 'complain' END,
            CASE WHEN dismiss THEN 'dismiss' END,
            CASE WHEN "repeat" THEN 'repeat' END,
            CASE WHEN rephrase THEN 'rephrase' END,
            CASE WHEN skim THEN 'skim' END
        ], lambda kind: kind IS NOT NULL) AS kinds,
        coalesce(dislike, complain, dismiss, "repeat", rephrase, skim) IS NOT NULL AS measurable
    FROM exchanges
    WHERE on_active_branch AND request_id IS NOT NULL AND reply_id IS NOT NULL
    -- A request answered in several parts is one step of the conversation: its last reply tells how it went.
    QUALIFY row_number() OVER (PARTITION BY source, conversation_id, request_id ORDER BY position DESC, reply_id) = 1
)
SELECT
    s.signal,
    count(*) AS detections,
    count(*) FILTER (WHERE e.outcome = 'followed') AS followed,
    count(*) FILTER (WHERE e.outcome = 'left') AS left_off,
    count(*) FILTER (WHERE e.outcome = 'censored') AS censored,
    count(n.request_id) AS answered,
    count(*) FILTER (WHERE n.measurable AND len(n.kinds) = 0) AS mended,
    count(*) FILTER (WHERE list_contains(n.kinds, s.signal)) AS same_again,
    count(*) FILTER (WHERE n.measurable AND len(n.kinds) = 0) / nullif(count(n.request_id), 0)::DOUBLE AS mended_share
FROM signals AS s
INNER JOIN exchanges AS e USING (exchange_id)
LEFT JOIN next_one AS n
    ON n.source = e.source AND n.conversation_id = e.conversation_id AND n.request_id = e.next_user_id
GROUP BY s.signal
