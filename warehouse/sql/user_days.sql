-- question: On which days did each user talk, and how often did the user show a signal?
-- owner: privacy officer
-- grain: a user of one source on one day
-- kept: by day, from exchanges -6 to 0
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   user_id: The user, as 64 bits of a digest of source and keyed pseudonym. Personal data: pseudonym.
--   exchanges: Exchanges of the user.
--   measurable: Exchanges in which at least one signal could be measured.
--   unhappy: Exchanges in which at least one signal was detected.
--   first_of_week: Whether it is the first day, from Monday on, on which the user talks: who adds these up counts users.
WITH earlier AS (
    SELECT d.dt, d.source, d.user_key
    FROM (SELECT DISTINCT dt, source, user_key FROM exchanges) AS d
    SEMI JOIN exchanges AS e
        ON e.dt BETWEEN d.dt - 6 AND d.dt - 1
        AND e.dt >= date_trunc('week', d.dt)::DATE
        AND e.source = d.source
        AND e.user_key = d.user_key
),
daily AS (
    SELECT
        dt,
        source,
        user_key,
        count(*) AS exchanges,
        count(coalesce(dislike, complain, dismiss, "repeat", rephrase, skim)) AS measurable,
        count(*) FILTER (WHERE list_bool_or([dislike, complain, dismiss, "repeat", rephrase, skim])) AS unhappy
    FROM exchanges
    WHERE user_key IS NOT NULL
    GROUP BY dt, source, user_key
)
SELECT
    daily.dt,
    daily.source,
    md5_number_lower(daily.source || '/' || daily.user_key) AS user_id,
    daily.exchanges,
    daily.measurable,
    daily.unhappy,
    earlier.dt IS NULL AS first_of_week
FROM daily
LEFT JOIN earlier
    ON earlier.dt = daily.dt AND earlier.source = daily.source AND earlier.user_key = daily.user_key
