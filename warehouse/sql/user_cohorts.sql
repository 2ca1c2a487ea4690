-- question: Do users who came at the same time grow happier or less happy from week to week, and do they stay?
-- owner: privacy officer
-- grain: a week of users who were first seen in one week, for one source; groups of fewer than 10 users show no figures
-- columns:
--   source: Product or application that the log comes from.
--   first_week: Monday of the week in which these users were first seen in the tables.
--   week: Weeks since then, from 0.
--   cohort_users: Users of the cohort, in all; null where they are fewer than 10.
--   suppressed: Whether figures are withheld, because fewer than 10 users stand behind them.
--   users: Of these, those who talked in that week.
--   exchanges: Their exchanges in that week.
--   measurable: Of these, exchanges in which at least one signal could be measured.
--   unhappy: Of the measurable, exchanges in which at least one signal was detected.
--   unhappy_share: Unhappy over measurable; null where nothing was measurable.
--   unhappy_low: Lower end of the 95 % Wilson interval of the share.
--   unhappy_high: Upper end of the 95 % Wilson interval of the share.
WITH came AS (
    SELECT user_id, date_trunc('week', min(dt))::DATE AS first_week
    FROM user_days
    GROUP BY user_id
),
counted AS (
    SELECT
        u.source,
        came.first_week,
        (date_trunc('week', u.dt)::DATE - came.first_week) // 7 AS week,
        count(*) FILTER (WHERE u.first_of_week) AS users,
        sum(u.exchanges)::BIGINT AS exchanges,
        sum(u.measurable)::BIGINT AS measurable,
        sum(u.unhappy)::BIGINT AS unhappy
    FROM user_days AS u
    INNER JOIN came ON came.user_id = u.user_id
    GROUP BY u.source, came.first_week, week
),
hidden AS (
    -- Ten is small enough to lose little, and large enough that no figure is about somebody. All users of a cohort talk
    -- in its week 0, so that week's number of users is the cohort's.
    SELECT *, max(users) OVER cohort AS cohort_users, users < 10 AS suppressed
    FROM counted
    WINDOW cohort AS (PARTITION BY source, first_week)
)
SELECT
    source,
    first_week,
    week,
    CASE WHEN cohort_users >= 10 THEN cohort_users END AS cohort_users,
    suppressed,
    CASE WHEN NOT suppressed THEN users END AS users,
    CASE WHEN NOT suppressed THEN exchanges END AS exchanges,
    CASE WHEN NOT suppressed THEN measurable END AS measurable,
    CASE WHEN NOT suppressed THEN unhappy END AS unhappy,
    CASE WHEN NOT suppressed THEN share(unhappy, measurable) END AS unhappy_share,
    CASE WHEN NOT suppressed THEN wilson_low(unhappy, measurable) END AS unhappy_low,
    CASE WHEN NOT suppressed THEN wilson_high(unhappy, measurable) END AS unhappy_high
FROM hidden
