-- question: Which signals were found together in one exchange, and which could be measured together?
-- owner: analysts
-- grain: a pattern of the six signals on one day, for one source and model
-- kept: by day, from exchanges 0 to 0
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   model: Model that wrote the reply; null where the log does not say.
--   dislike: Whether dislike was detected; null where it could not be measured.
--   complain: Whether complain was detected; null where it could not be measured.
--   dismiss: Whether dismiss was detected; null where it could not be measured.
--   repeat: Whether repeat was detected; null where it could not be measured.
--   rephrase: Whether rephrase was detected; null where it could not be measured.
--   skim: Whether skim was detected; null where it could not be measured.
--   exchanges: Exchanges of this pattern.
SELECT dt, source, model, dislike, complain, dismiss, "repeat", rephrase, skim, count(*) AS exchanges
FROM exchanges
GROUP BY dt, source, model, dislike, complain, dismiss, "repeat", rephrase, skim
