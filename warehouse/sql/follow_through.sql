-- question: What happened next after each signal: was it mended, was it the same again, or did the user leave?
-- owner: analysts
-- grain: a signal on one day, for one source and model
-- columns:
--   dt: Partition day of the exchanges in which it was detected.
--   source: Product or application that the log comes from.
--   model: Model that wrote the reply; null where the log does not say.
--   signal: Kind of feedback.
--   detections: Exchanges in which it was detected.
--   followed: Of these, exchanges after which the user wrote again.
--   left_off: Exchanges after which the user left.
--   censored: Exchanges after which the log ends too soon to say.
--   answered: Exchanges whose next user message got a reply on the active branch by the end of the next day.
--   recovered: Of the answered, those whose next exchange shows no signal and is measurable for at least one.
--   again: Of the answered, those whose next exchange shows the same signal.
--   recovered_share: Recovered over answered; null where nothing was answered.
--   recovered_low: Lower end of the 95 % Wilson interval of the share.
--   recovered_high: Upper end of the 95 % Wilson interval of the share.
WITH counted AS (
    SELECT
        dt,
        source,
        model,
        signal,
        sum(detected)::BIGINT AS detections,
        sum(followed)::BIGINT AS followed,
        sum(left_off)::BIGINT AS left_off,
        sum(censored)::BIGINT AS censored,
        sum(answered)::BIGINT AS answered,
        sum(recovered)::BIGINT AS recovered,
        sum(again)::BIGINT AS again
    FROM exchange_counts
    WHERE detected > 0
    GROUP BY dt, source, model, signal
)
SELECT
    *,
    share(recovered, answered) AS recovered_share,
    wilson_low(recovered, answered) AS recovered_low,
    wilson_high(recovered, answered) AS recovered_high
FROM counted
