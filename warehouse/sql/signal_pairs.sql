-- question: Which signals occur together in one exchange more often than by chance?
-- owner: analysts
-- grain: a pair of signals on one day, for one source
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   signal: The signal of the two that comes first in the order of strength.
--   other: The other signal.
--   measurable: Exchanges in which both could be measured.
--   with_signal: Of these, exchanges in which the first was detected.
--   with_other: Of these, exchanges in which the other was detected.
--   together: Of these, exchanges in which both were detected.
--   expected: How many would hold both, were the two independent. Days add up, since each is its own table.
--   lift: Together over expected; null where nothing was expected.
WITH pairs AS (
    SELECT
        dt,
        source,
        exchanges,
        unnest([
            {signal: 'dislike', other: 'complain', a: dislike, b: complain},
            {signal: 'dislike', other: 'dismiss', a: dislike, b: dismiss},
            {signal: 'dislike', other: 'repeat', a: dislike, b: "repeat"},
            {signal: 'dislike', other: 'rephrase', a: dislike, b: rephrase},
            {signal: 'dislike', other: 'skim', a: dislike, b: skim},
            {signal: 'complain', other: 'dismiss', a: complain, b: dismiss},
            {signal: 'complain', other: 'repeat', a: complain, b: "repeat"},
            {signal: 'complain', other: 'rephrase', a: complain, b: rephrase},
            {signal: 'complain', other: 'skim', a: complain, b: skim},
            {signal: 'dismiss', other: 'repeat', a: dismiss, b: "repeat"},
            {signal: 'dismiss', other: 'rephrase', a: dismiss, b: rephrase},
            {signal: 'dismiss', other: 'skim', a: dismiss, b: skim},
            {signal: 'repeat', other: 'rephrase', a: "repeat", b: rephrase},
            {signal: 'repeat', other: 'skim', a: "repeat", b: skim},
            {signal: 'rephrase', other: 'skim', a: rephrase, b: skim}
        ]) AS pair
    FROM signal_patterns
),
counted AS (
    SELECT
        dt,
        source,
        pair.signal AS signal,
        pair.other AS other,
        sum(exchanges)::BIGINT AS measurable,
        coalesce(sum(exchanges) FILTER (WHERE pair.a), 0)::BIGINT AS with_signal,
        coalesce(sum(exchanges) FILTER (WHERE pair.b), 0)::BIGINT AS with_other,
        coalesce(sum(exchanges) FILTER (WHERE pair.a AND pair.b), 0)::BIGINT AS together
    FROM pairs
    WHERE pair.a IS NOT NULL AND pair.b IS NOT NULL
    GROUP BY dt, source, pair.signal, pair.other
)
SELECT
    *,
    with_signal * with_other / measurable::DOUBLE AS expected,
    together / nullif(with_signal * with_other / measurable::DOUBLE, 0) AS lift
FROM counted
