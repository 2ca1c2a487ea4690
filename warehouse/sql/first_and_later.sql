-- question: Are people less happy with the first reply of a conversation, or with later ones?
-- owner: analysts
-- grain: a signal on one day, for one source and place
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   place: first, for the first exchange of its conversation in the look-back window; later, for the others.
--   signal: Kind of feedback.
--   measurable: Exchanges in which the signal could be measured.
--   detected: Exchanges in which it was detected.
--   detected_rate: Detected over measurable; null where nothing was measurable.
--   detected_low: Lower end of the 95 % Wilson interval of the detected rate.
--   detected_high: Upper end of the 95 % Wilson interval of the detected rate.
--   left_off: Detected ones after which the user left.
WITH counted AS (
    SELECT
        dt,
        source,
        place,
        signal,
        sum(measurable)::BIGINT AS measurable,
        sum(detected)::BIGINT AS detected,
        sum(left_off)::BIGINT AS left_off
    FROM exchange_counts
    GROUP BY dt, source, place, signal
)
SELECT
    dt,
    source,
    place,
    signal,
    measurable,
    detected,
    share(detected, measurable) AS detected_rate,
    wilson_low(detected, measurable) AS detected_low,
    wilson_high(detected, measurable) AS detected_high,
    left_off
FROM counted
