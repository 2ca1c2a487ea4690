-- question: How good is each signal, as people judged a random sample of detections and non-detections?
-- owner: analysts
-- grain: a signal in one source, or in all of them, of which something was reviewed
-- columns:
--   signal: Kind of feedback.
--   source: Product or application that the log comes from; null for all of them together.
--   measurable: Exchanges in which the signal could be measured, as the tables are now.
--   detected: Those of them in which it was detected.
--   reviewed: Exchanges with a verdict of yes or no that stand in the figures.
--   unsure: Exchanges on which reviewers were unsure or disagreed evenly; they are left out.
--   moved: Reviewed exchanges whose probability has moved into another band since; they are left out too.
--   reviewed_twice: Exchanges that more than one reviewer judged yes or no.
--   agreement: Share of these on which all said the same.
--   precision: Share of the detections that are right; null where none was reviewed.
--   precision_low: Lower end of its 95 % interval.
--   precision_high: Upper end of its 95 % interval.
--   recall: Share of the true ones that were detected; null where a band of non-detections was not reviewed at all.
--   recall_low: Lower end of its 95 % interval.
--   recall_high: Upper end of its 95 % interval.
--   true_rate: Share of the measurable exchanges in which the signal is there, estimated from the verdicts.
--   true_low: Lower end of its 95 % interval.
--   true_high: Upper end of its 95 % interval.
--   estimated_rate: Mean probability over the same exchanges, to hold against it.
--   covered: Share of the measurable exchanges in strata that were reviewed; less than 1 where sources were left out.
-- A stratum is a band of one signal, and of one source where as many were drawn of each source. Of each the share of
-- the true ones is weighted by the number of its exchanges. Intervals of the shares are Wilson's, narrowed as a sample
-- exhausts its stratum; those of sums and of recall come from them by the method of variance estimates recovery.
WITH judged AS (
    SELECT exchange_id, source, one.signal AS signal, one.p AS p,
        CASE WHEN one.found THEN 'detected' WHEN one.p >= 0.1 THEN 'borderline' ELSE 'unlikely' END AS band
    FROM (
        SELECT exchange_id, source, unnest([
            {signal: 'dislike', found: dislike, p: p_dislike},
            {signal: 'complain', found: complain, p: p_complain},
            {signal: 'dismiss', found: dismiss, p: p_dismiss},
            {signal: 'repeat', found: "repeat", p: p_repeat},
            {signal: 'rephrase', found: rephrase, p: p_rephrase},
            {signal: 'skim', found: skim, p: p_skim}
        ]) AS one
        FROM exchanges
    )
    WHERE one.found IS NOT NULL
),
votes AS (
    SELECT exchange_id, signal,
        count(*) FILTER (WHERE verdict = 'yes') AS said_yes,
        count(*) FILTER (WHERE verdict = 'no') AS said_no,
        max_by(band, (reviewed_at, reviewer)) AS drawn_from
    FROM reviews
    GROUP BY exchange_id, signal
),
drawn AS (SELECT signal, bool_or(by_source) AS by_source FROM reviews GROUP BY signal),
items AS (
    SELECT j.signal, j.source, j.band, j.p, d.by_source,
        v.exchange_id IS NOT NULL AS seen,
        v.drawn_from <> j.band AS moved,
        CASE WHEN v.drawn_from <> j.band THEN NULL WHEN said_yes > said_no THEN 1 WHEN said_no > said_yes THEN 0 END
            AS truth,
        said_yes + said_no > 1 AS twice,
        said_yes = 0 OR said_no = 0 AS agreed
    FROM judged AS j
    INNER JOIN drawn AS d ON d.signal = j.signal
    LEFT JOIN votes AS v ON v.exchange_id = j.exchange_id AND v.signal = j.signal
),
scoped AS (
    SELECT *, source AS scope, '' AS stratum FROM items
    UNION ALL
    SELECT *, NULL AS scope, CASE WHEN by_source THEN source ELSE '' END AS stratum FROM items
),
cells AS (
    SELECT signal, scope, stratum, band,
        count(*)::DOUBLE AS size,
        count(truth) AS n,
        avg(truth) AS share,
        CASE WHEN count(truth) < count(*) THEN count(truth) * (count(*) - 1) / (count(*) - count(truth))::DOUBLE END
            AS worth,
        count(*) FILTER (WHERE seen AND NOT moved AND truth IS NULL) AS unsure,
        count(*) FILTER (WHERE moved) AS moved,
        count(*) FILTER (WHERE twice) AS twice,
        count(*) FILTER (WHERE twice AND agreed) AS agreed,
        sum((p * 1000000000)::BIGINT)::BIGINT / 1000000000 AS expected
    FROM scoped
    GROUP BY signal, scope, stratum, band
),
bounded AS (
    SELECT *,
        CASE WHEN worth IS NULL THEN share ELSE wilson_low(share * worth, worth) END AS low,
        CASE WHEN worth IS NULL THEN share ELSE wilson_high(share * worth, worth) END AS high,
        band = 'detected' AS found,
        -- A stratum counts where each of its bands was looked at.
        min(n) OVER (PARTITION BY signal, scope, stratum) > 0 AS whole
    FROM cells
),
sums AS (
    SELECT signal, scope,
        sum(size)::BIGINT AS measurable,
        coalesce(sum(size) FILTER (WHERE found), 0)::BIGINT AS detected,
        sum(n)::BIGINT AS reviewed,
        sum(unsure)::BIGINT AS unsure,
        sum(moved)::BIGINT AS moved,
        sum(twice)::BIGINT AS twice,
        sum(agreed)::BIGINT AS agreed,
        sum(size) FILTER (WHERE found AND n > 0) AS looked_at,
        sum(size * share) FILTER (WHERE found AND n > 0) AS right_ones,
        sqrt(sum((size * (share - low)) ** 2) FILTER (WHERE found AND n > 0)) AS right_down,
        sqrt(sum((size * (high - share)) ** 2) FILTER (WHERE found AND n > 0)) AS right_up,
        sum(size) FILTER (WHERE whole) AS covered,
        sum(expected) FILTER (WHERE whole) AS expected,
        coalesce(sum(size * share) FILTER (WHERE whole AND found), 0) AS hit,
        coalesce(sqrt(sum((size * (share - low)) ** 2) FILTER (WHERE whole AND found)), 0) AS hit_down,
        coalesce(sqrt(sum((size * (high - share)) ** 2) FILTER (WHERE whole AND found)), 0) AS hit_up,
        coalesce(sum(size * share) FILTER (WHERE whole AND NOT found), 0) AS missed,
        coalesce(sqrt(sum((size * (share - low)) ** 2) FILTER (WHERE whole AND NOT found)), 0) AS missed_down,
        coalesce(sqrt(sum((size * (high - share)) ** 2) FILTER (WHERE whole AND NOT found)), 0) AS missed_up
    FROM bounded
    GROUP BY signal, scope
),
figures AS (
    SELECT *,
        CASE WHEN covered > 0 THEN share(hit, hit + missed) END AS recall,
        share(greatest(hit - hit_down, 0), greatest(hit - hit_down, 0) + missed) AS fewer_hit,
        share(hit + hit_up, hit + hit_up + missed) AS more_hit,
        share(hit, hit + missed + missed_up) AS more_missed,
        share(hit, hit + greatest(missed - missed_down, 0)) AS fewer_missed
    FROM sums
)
SELECT
    signal,
    scope AS source,
    measurable,
    detected,
    reviewed,
    unsure,
    moved,
    twice AS reviewed_twice,
    share(agreed, twice) AS agreement,
    share(right_ones, looked_at) AS precision,
    -- greatest and least pass over nulls, hence the cases.
    CASE WHEN looked_at > 0 THEN greatest((right_ones - right_down) / looked_at, 0) END AS precision_low,
    CASE WHEN looked_at > 0 THEN least((right_ones + right_up) / looked_at, 1) END AS precision_high,
    recall,
    CASE WHEN recall IS NOT NULL
        THEN greatest(recall - sqrt((recall - coalesce(fewer_hit, 0)) ** 2 + (recall - more_missed) ** 2), 0) END
        AS recall_low,
    CASE WHEN recall IS NOT NULL
        THEN least(recall + sqrt((more_hit - recall) ** 2 + (fewer_missed - recall) ** 2), 1) END AS recall_high,
    share(hit + missed, covered) AS true_rate,
    CASE WHEN covered > 0 THEN greatest((hit + missed - sqrt(hit_down ** 2 + missed_down ** 2)) / covered, 0) END
        AS true_low,
    CASE WHEN covered > 0 THEN least((hit + missed + sqrt(hit_up ** 2 + missed_up ** 2)) / covered, 1) END AS true_high,
    share(expected, covered) AS estimated_rate,
    share(coalesce(covered, 0), measurable) AS covered
FROM figures
WHERE reviewed + unsure + moved > 0
