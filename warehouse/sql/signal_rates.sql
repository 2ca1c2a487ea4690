-- question: How often does each signal occur, by day, source and model?
-- owner: analysts
-- grain: a signal on one day, for one source and model
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   model: Model that wrote the reply; null where the log does not say.
--   signal: Kind of feedback.
--   exchanges: All exchanges of the group.
--   measurable: Exchanges in which the signal could be measured.
--   not_measurable: Exchanges in which it could not.
--   detected: Exchanges in which it was detected.
--   detected_rate: Detected over measurable; null where nothing was measurable.
--   detected_low: Lower end of the 95 % Wilson interval of the detected rate.
--   detected_high: Upper end of the 95 % Wilson interval of the detected rate.
--   estimated_rate: Mean probability over the measurable exchanges, which stays right where detection misses some.
WITH long AS (
    SELECT dt, source, model, unnest([
        {signal: 'dislike', found: dislike, p: p_dislike},
        {signal: 'complain', found: complain, p: p_complain},
        {signal: 'dismiss', found: dismiss, p: p_dismiss},
        {signal: 'repeat', found: "repeat", p: p_repeat},
        {signal: 'rephrase', found: rephrase, p: p_rephrase},
        {signal: 'skim', found: skim, p: p_skim}
    ]) AS one
    FROM exchanges
),
counted AS (
    SELECT
        dt,
        source,
        model,
        one.signal AS signal,
        count(*) AS exchanges,
        count(one.found) AS measurable,
        count(*) - count(one.found) AS not_measurable,
        count(*) FILTER (WHERE one.found) AS detected,
        avg(one.p) AS estimated_rate
    FROM long
    GROUP BY dt, source, model, one.signal
),
rated AS (
    -- nullif keeps a group in which nothing was measurable at null: no rate is not a rate of zero.
    SELECT *, nullif(measurable, 0)::DOUBLE AS n, detected / nullif(measurable, 0)::DOUBLE AS rate, 1.959964 AS z
    FROM counted
),
bounded AS (
    SELECT
        *,
        (rate + z * z / (2 * n)) / (1 + z * z / n) AS middle,
        z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n) AS spread
    FROM rated
)
SELECT
    dt,
    source,
    model,
    signal,
    exchanges,
    measurable,
    not_measurable,
    detected,
    rate AS detected_rate,
    -- least and greatest pass over nulls, hence the condition.
    CASE WHEN n > 0 THEN greatest(0, middle - spread) END AS detected_low,
    CASE WHEN n > 0 THEN least(1, middle + spread) END AS detected_high,
    estimated_rate
FROM bounded
