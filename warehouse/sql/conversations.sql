-- question: How did each conversation go, and did its user show any dissatisfaction?
-- owner: analysts
-- grain: a conversation of one source
-- columns:
--   source: Product or application that the log comes from.
--   conversation_id: Id of the conversation as it was logged.
--   users: Users who wrote in it; 0 where the log names none.
--   sessions: Sessions that hold an exchange; one that began before the look-back window of a day counts again.
--   messages: Messages, newest versions only.
--   user_messages: Messages from the user.
--   assistant_messages: Messages from the assistant.
--   exchanges: Replies, logged or not, that were paired with what the user did next.
--   first_at: Time of the first message; null without clocks.
--   last_at: Time of the last message; null without clocks.
--   models: Models that answered, in alphabetical order.
--   scripts: Writing systems of the user's messages, in alphabetical order.
--   dislike: Exchanges in which dislike was detected.
--   complain: Exchanges in which complain was detected.
--   dismiss: Exchanges in which dismiss was detected.
--   repeat: Exchanges in which repeat was detected.
--   rephrase: Exchanges in which rephrase was detected.
--   skim: Exchanges in which skim was detected.
--   any_signal: Whether any signal was detected; null where no exchange could be measured for any.
-- One row stays one conversation as its source names it: messages carry no session, since which session a message is in
-- depends on other landing days, and ids of sessions are not the source's own.
-- It reads every message, so ask it about some conversations, by source and id; `unhappy_conversations` ranks them all.
WITH said AS (
    SELECT
        source,
        conversation_id,
        count(DISTINCT user_key) FILTER (WHERE role = 'user') AS users,
        count(*) AS messages,
        count(*) FILTER (WHERE role = 'user') AS user_messages,
        count(*) FILTER (WHERE role = 'assistant') AS assistant_messages,
        min(created_at) AS first_at,
        max(greatest(completed_at, created_at)) AS last_at,
        list_sort(list_distinct(list(model) FILTER (WHERE model IS NOT NULL))) AS models,
        list_sort(list_distinct(list(script) FILTER (WHERE role = 'user'))) AS scripts
    FROM messages
    GROUP BY source, conversation_id
),
felt AS (
    SELECT
        source,
        conversation_id,
        count(*) AS exchanges,
        count(DISTINCT session_id) AS sessions,
        count(*) FILTER (WHERE dislike) AS dislike,
        count(*) FILTER (WHERE complain) AS complain,
        count(*) FILTER (WHERE dismiss) AS dismiss,
        count(*) FILTER (WHERE "repeat") AS "repeat",
        count(*) FILTER (WHERE rephrase) AS rephrase,
        count(*) FILTER (WHERE skim) AS skim,
        -- Null only where all six are null everywhere: not measurable is not no.
        bool_or(list_bool_or([dislike, complain, dismiss, "repeat", rephrase, skim])) AS any_signal
    FROM exchanges
    GROUP BY source, conversation_id
)
SELECT
    said.source,
    said.conversation_id,
    said.users,
    coalesce(felt.sessions, 0) AS sessions,
    said.messages,
    said.user_messages,
    said.assistant_messages,
    coalesce(felt.exchanges, 0) AS exchanges,
    said.first_at,
    said.last_at,
    coalesce(said.models, []) AS models,
    coalesce(said.scripts, []) AS scripts,
    coalesce(felt.dislike, 0) AS dislike,
    coalesce(felt.complain, 0) AS complain,
    coalesce(felt.dismiss, 0) AS dismiss,
    coalesce(felt."repeat", 0) AS "repeat",
    coalesce(felt.rephrase, 0) AS rephrase,
    coalesce(felt.skim, 0) AS skim,
    felt.any_signal
FROM said
LEFT JOIN felt USING (source, conversation_id)
