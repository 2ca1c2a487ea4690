-- question: How often does each signal occur, by day, source, model, script and length of the reply?
-- owner: analysts
-- grain: a signal on one day, for one source, model, script and length of reply
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   model: Model that wrote the reply; null where the log does not say.
--   script: Writing system of the request.
--   reply_length: Band of the reply's length in characters; not captured where it is unknown.
--   signal: Kind of feedback.
--   exchanges: All exchanges of the group.
--   measurable: Exchanges in which the signal could be measured.
--   not_measurable: Exchanges in which it could not.
--   not_measurable_share: Not measurable over all exchanges.
--   detected: Exchanges in which it was detected.
--   detected_rate: Detected over measurable; null where nothing was measurable.
--   detected_low: Lower end of the 95 % Wilson interval of the detected rate.
--   detected_high: Upper end of the 95 % Wilson interval of the detected rate.
--   estimated: Sum of the probabilities over the measurable exchanges; add these up and divide for wider groups.
--   estimated_rate: Mean probability over the measurable exchanges, which stays right where detection misses some.
--   estimated_low: Lower end of the 95 % Wilson interval of the estimated rate, as if each exchange were a draw.
--   estimated_high: Upper end of the 95 % Wilson interval of the estimated rate, as if each exchange were a draw.
WITH counted AS (
    SELECT
        dt,
        source,
        model,
        script,
        reply_length,
        signal,
        sum(exchanges)::BIGINT AS exchanges,
        sum(measurable)::BIGINT AS measurable,
        sum(detected)::BIGINT AS detected,
        sum(estimated) AS estimated
    FROM exchange_counts
    GROUP BY dt, source, model, script, reply_length, signal
)
SELECT
    dt,
    source,
    model,
    script,
    reply_length,
    signal,
    exchanges,
    measurable,
    exchanges - measurable AS not_measurable,
    share(exchanges - measurable, exchanges) AS not_measurable_share,
    detected,
    share(detected, measurable) AS detected_rate,
    wilson_low(detected, measurable) AS detected_low,
    wilson_high(detected, measurable) AS detected_high,
    estimated,
    share(estimated, measurable) AS estimated_rate,
    wilson_low(estimated, measurable) AS estimated_low,
    wilson_high(estimated, measurable) AS estimated_high
FROM counted
