-- question: On which days did a signal occur more or less often than in the four weeks before?
-- owner: analysts
-- grain: a signal on one day, for one source
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   signal: Kind of feedback.
--   measurable: Exchanges of the day in which the signal could be measured.
--   detected_rate: Detected over measurable on the day.
--   days_before: Days with measurable exchanges among the 28 before.
--   measurable_before: Measurable exchanges in these days.
--   rate_before: Detected over measurable in these days; null where there are none.
--   z: Difference of the two rates in standard errors of their pooled rate; null where that is not defined.
WITH daily AS (
    SELECT dt, source, signal, sum(measurable) AS measurable, sum(detected) AS detected
    FROM signal_rates
    GROUP BY dt, source, signal
    HAVING sum(measurable) > 0
),
compared AS (
    SELECT
        *,
        count(*) OVER before AS days_before,
        sum(measurable) OVER before AS measurable_before,
        sum(detected) OVER before AS detected_before
    FROM daily
    WINDOW before AS (
        PARTITION BY source, signal
        ORDER BY dt
        RANGE BETWEEN INTERVAL 28 DAYS PRECEDING AND INTERVAL 1 DAY PRECEDING
    )
),
pooled AS (
    SELECT *, (detected + detected_before) / (measurable + measurable_before)::DOUBLE AS p
    FROM compared
)
SELECT
    dt,
    source,
    signal,
    measurable::BIGINT AS measurable,
    detected / measurable::DOUBLE AS detected_rate,
    days_before,
    measurable_before::BIGINT AS measurable_before,
    detected_before / measurable_before::DOUBLE AS rate_before,
    (detected / measurable::DOUBLE - detected_before / measurable_before::DOUBLE)
        / nullif(sqrt(p * (1 - p) * (1 / measurable::DOUBLE + 1 / measurable_before::DOUBLE)), 0) AS z
FROM pooled
