{{ config(materialized='table') }}
-- One row a week, model and signal. Sums first, then the rate: a mean of daily rates would weigh small days too much.
SELECT
    date_trunc('week', dt)::DATE AS week,
    model,
    signal,
    sum(detected)::BIGINT AS detected,
    sum(measurable)::BIGINT AS measurable,
    sum(detected) / nullif(sum(measurable), 0)::DOUBLE AS rate
FROM {{ source('tacit', 'signal_rates') }}
WHERE model IS NOT NULL
GROUP BY ALL
