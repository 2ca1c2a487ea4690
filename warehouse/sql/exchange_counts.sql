-- question: How many exchanges of each sort were there, how often was each signal found in them, and what came next?
-- owner: analysts
-- grain: a signal on one day, for one source, model, script, kind of request, length of reply and place
-- kept: by day, from exchanges 0 to 1, messages -1 to 0
-- columns:
--   dt: Partition day of the exchanges.
--   source: Product or application that the log comes from.
--   model: Model that wrote the reply; null where the log does not say.
--   script: Writing system of the request.
--   request_kind: Rough kind of the request; not captured where its text is unknown or a day older than the reply.
--   reply_length: Band of the reply's length in characters, by the function of the same name.
--   place: first, for the first exchange of its conversation in the look-back window; later, for the others.
--   signal: Kind of feedback.
--   exchanges: All exchanges of the group.
--   measurable: Exchanges in which the signal could be measured.
--   detected: Exchanges in which it was detected.
--   estimated: Sum of the probabilities over the measurable exchanges.
--   followed: Detected ones after which the user wrote again.
--   left_off: Detected ones after which the user left.
--   censored: Detected ones after which the log ends too soon to say.
--   answered: Detected ones whose next user message got a reply on the active branch by the end of the next day.
--   recovered: Of the answered, those whose next exchange shows no signal and is measurable for at least one.
--   again: Of the answered, those whose next exchange shows the same signal.
WITH asked AS (
    -- The newest version of each request. One that was sent more than a day before its reply is taken for not captured,
    -- so that a day's counts are made of two days of messages.
    SELECT e.dt, e.exchange_id, m.text
    FROM exchanges AS e
    INNER JOIN message_versions AS m
        ON m.dt BETWEEN e.dt - 1 AND e.dt
        AND m.source = e.source
        AND m.conversation_id = e.conversation_id
        AND m.message_id = e.request_id
    QUALIFY row_number() OVER (
        PARTITION BY e.dt, e.exchange_id
        ORDER BY newness(m.flags, m.arrival_dt, m.created_at, m.completed_at, m.digest) DESC
    ) = 1
),
next_one AS (
    SELECT
        e.dt,
        e.exchange_id,
        [n.dislike, n.complain, n.dismiss, n."repeat", n.rephrase, n.skim] AS found
    FROM exchanges AS e
    INNER JOIN exchanges AS n
        ON n.dt BETWEEN e.dt AND e.dt + 1
        AND n.source = e.source
        AND n.conversation_id = e.conversation_id
        AND n.request_id = e.next_user_id
    WHERE n.on_active_branch AND n.reply_id IS NOT NULL
    -- A request answered in several parts is one step of the conversation: its last reply tells how it went.
    QUALIFY row_number() OVER (PARTITION BY e.dt, e.exchange_id ORDER BY n.position DESC, n.reply_id) = 1
),
long AS (
    SELECT
        e.dt,
        e.source,
        e.model,
        e.script,
        request_kind(asked.text) AS request_kind,
        reply_length(e.reply_chars) AS reply_length,
        CASE WHEN e.position = 0 THEN 'first' ELSE 'later' END AS place,
        e.outcome,
        next_one.found AS after,
        unnest([
            {signal: 'dislike', found: e.dislike, p: e.p_dislike, nth: 1},
            {signal: 'complain', found: e.complain, p: e.p_complain, nth: 2},
            {signal: 'dismiss', found: e.dismiss, p: e.p_dismiss, nth: 3},
            {signal: 'repeat', found: e."repeat", p: e.p_repeat, nth: 4},
            {signal: 'rephrase', found: e.rephrase, p: e.p_rephrase, nth: 5},
            {signal: 'skim', found: e.skim, p: e.p_skim, nth: 6}
        ]) AS one
    FROM exchanges AS e
    LEFT JOIN asked ON asked.dt = e.dt AND asked.exchange_id = e.exchange_id
    LEFT JOIN next_one ON next_one.dt = e.dt AND next_one.exchange_id = e.exchange_id
)
SELECT
    dt,
    source,
    model,
    script,
    request_kind,
    reply_length,
    place,
    one.signal AS signal,
    count(*) AS exchanges,
    count(one.found) AS measurable,
    count(*) FILTER (WHERE one.found) AS detected,
    -- Whole numbers add up to the same sum in any order, fractions do not.
    sum((one.p * 1000000000)::BIGINT)::BIGINT / 1000000000 AS estimated,
    count(*) FILTER (WHERE one.found AND outcome = 'followed') AS followed,
    count(*) FILTER (WHERE one.found AND outcome = 'left') AS left_off,
    count(*) FILTER (WHERE one.found AND outcome = 'censored') AS censored,
    count(*) FILTER (WHERE one.found AND after IS NOT NULL) AS answered,
    count(*) FILTER (WHERE one.found AND NOT list_bool_or(after)) AS recovered,
    count(*) FILTER (WHERE one.found AND after[one.nth]) AS again
FROM long
GROUP BY dt, source, model, script, request_kind, reply_length, place, one.signal
