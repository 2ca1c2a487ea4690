-- question: Which model shows a signal more often than the other models do on requests of the same kind?
-- owner: analysts
-- grain: a signal on one day, for one source and model
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   model: Model that wrote the replies.
--   signal: Kind of feedback.
--   measurable: Measurable exchanges of the model, of any kind.
--   comparable: Of these, those of a kind that at least one other model of the source answered on that day.
--   detected: Of the comparable, those in which the signal was detected.
--   expected: How many that would be, had each kind shown it as often as all models together did.
--   variance: Variance of the difference of the two, were the models alike.
--   ratio: Detected over expected; above 1, the model does worse than the others. Null where nothing was expected.
--   z: Their difference in standard errors; null where that is not defined.
-- A kind is: the same day, source, script, rough kind of the request (with code, or its length) and place (first or
-- later). It is not a topic, and models that were given other topics differ for that reason too. The length of the
-- reply is not part of it, since it is the model's own doing. `measurable`, `comparable`, `detected`, `expected` and
-- `variance` add up over days and sources: ratio = sum(detected) / sum(expected), and z = (sum(detected) -
-- sum(expected)) / sqrt(sum(variance)), which is the Cochran-Mantel-Haenszel test of the model against the others.
WITH answered AS (
    SELECT
        dt,
        source,
        script,
        request_kind,
        place,
        signal,
        model,
        sum(measurable)::DOUBLE AS n,
        sum(detected)::DOUBLE AS d
    FROM exchange_counts
    WHERE model IS NOT NULL AND measurable > 0
    GROUP BY dt, source, script, request_kind, place, signal, model
),
beside AS (
    SELECT
        *,
        sum(n) OVER same_kind AS all_n,
        sum(d) OVER same_kind AS all_d
    FROM answered
    WINDOW same_kind AS (PARTITION BY dt, source, script, request_kind, place, signal)
),
counted AS (
    SELECT
        dt,
        source,
        model,
        signal,
        sum(n)::BIGINT AS measurable,
        coalesce(sum(n) FILTER (WHERE all_n > n), 0)::BIGINT AS comparable,
        coalesce(sum(d) FILTER (WHERE all_n > n), 0)::BIGINT AS detected,
        coalesce(sum(n * all_d / all_n) FILTER (WHERE all_n > n), 0) AS expected,
        coalesce(
            sum(n * (all_n - n) * all_d * (all_n - all_d) / (all_n * all_n * (all_n - 1))) FILTER (WHERE all_n > n), 0
        ) AS variance
    FROM beside
    GROUP BY dt, source, model, signal
)
SELECT
    *,
    detected / nullif(expected, 0) AS ratio,
    (detected - expected) / nullif(sqrt(variance), 0) AS z
FROM counted
