-- question: Which records were refused, and why, by day of arrival?
-- owner: data engineers
-- grain: a reason and field on one day of arrival
-- columns:
--   dt: Day of arrival.
--   reason: Reason code.
--   field: Key of the format at fault; null where the fault is the whole record's.
--   records: Records that were refused.
--   files: Files that they stand in.
--   bytes: Their length in bytes.
SELECT
    dt,
    reason,
    field,
    count(*) AS records,
    count(DISTINCT file) AS files,
    sum(bytes)::BIGINT AS bytes
FROM quarantine
GROUP BY dt, reason, field
