-- question: On which days did each user talk, and how often did the user show a signal?
-- owner: privacy officer
-- grain: a user of one source on one day
-- kept: by day, from exchanges 0 to 0
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   user_id: The user, as 64 bits of a digest of source and keyed pseudonym. Personal data: pseudonym.
--   exchanges: Exchanges of the user.
--   measurable: Exchanges in which at least one signal could be measured.
--   unhappy: Exchanges in which at least one signal was detected.
SELECT
    dt,
    source,
    md5_number_lower(source || '/' || user_key) AS user_id,
    count(*) AS exchanges,
    count(coalesce(dislike, complain, dismiss, "repeat", rephrase, skim)) AS measurable,
    count(*) FILTER (WHERE list_bool_or([dislike, complain, dismiss, "repeat", rephrase, skim])) AS unhappy
FROM exchanges
WHERE user_key IS NOT NULL
GROUP BY dt, source, user_id
