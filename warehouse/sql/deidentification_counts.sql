-- question: How much personal data of which type was masked, by day and source?
-- owner: privacy officer
-- grain: a type of personal data on one day, for one source
-- columns:
--   dt: Partition day of the messages.
--   source: Product or application that the log comes from.
--   entity: Type of personal data.
--   messages: Messages in which it was found, newest versions only.
--   masked: How many values were masked.
SELECT
    dt,
    source,
    one.entity AS entity,
    count(*) AS messages,
    sum(one.n)::BIGINT AS masked
FROM (SELECT dt, source, unnest(entity_counts) AS one FROM messages)
GROUP BY dt, source, one.entity
