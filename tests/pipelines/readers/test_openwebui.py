"""Open WebUI: the branch on screen, seconds beside milliseconds, and votes in messages and in records of their own."""

import copy
import json
import sqlite3

import pytest
from hypothesis import given, settings

from pipelines.readers.raw import Refusal
from schemas.enums import EventKind, Role, Status
from schemas.reasons import Reason
from tests.pipelines.readers.kit import items_of, opened, refusals
from tests.pipelines.readers.mutations import assert_withstands, mutated
from tests.pipelines.readers.openwebui_kit import START, at, events, exported, messages, node, read, tree, voted


def test_a_chat_is_all_messages_of_its_tree(tmp_path):
    found = messages(read(tmp_path, exported()))
    assert list(found) == ["q1", "a1", "a2", "q2", "a3"]
    assert {m.conversation_id for m in found.values()} == {"c1"}
    assert {m.user_id for m in found.values()} == {"u1"}
    assert (found["a1"].parent_id, found["a2"].parent_id, found["a3"].model) == ("q1", "q1", "small-1")


def test_the_branch_on_screen_is_the_path_to_the_current_message(tmp_path):
    found = messages(read(tmp_path, exported()))
    assert {k for k, m in found.items() if "off_branch" in m.flags} == {"a1"}
    found = messages(read(tmp_path, exported(current="a1")))
    assert {k for k, m in found.items() if "off_branch" in m.flags} == {"a2", "q2", "a3"}


@pytest.mark.parametrize("current", [None, "gone", 7])
def test_a_current_message_that_is_not_there_leaves_the_path_to_inference(tmp_path, current):
    assert {m.flags for m in messages(read(tmp_path, exported(current=current))).values()} == {("path_inferred",)}


def test_messages_that_are_their_own_ancestors_are_refused_and_do_not_hang(tmp_path):
    nodes = tree()
    nodes["q2"]["parentId"] = "a3"
    found = read(tmp_path, exported(nodes))
    assert list(messages(found)) == ["q1", "a1", "a2"]
    assert refusals(found) == [Refusal(Reason.BAD_ID, "chat.history.messages.parentId")] * 2


def test_each_time_is_read_by_its_own_magnitude(tmp_path):
    nodes = tree()
    nodes["a1"]["timestamp"] = (START + 1) * 1000
    found = messages(read(tmp_path, exported(nodes)))
    assert (found["q1"].created_at, found["a1"].created_at) == (at(0), at(1))


def test_a_reply_is_stamped_when_it_is_asked_for(tmp_path):
    reply = messages(read(tmp_path, exported()))["a1"]
    assert (reply.created_at, reply.completed_at) == (at(1), None)
    reply = messages(read(tmp_path, exported(), reply_time="stored"))["a1"]
    assert (reply.created_at, reply.completed_at) == (None, at(1))


def test_a_duration_ends_the_reply(tmp_path):
    nodes = tree()
    nodes["a1"]["info"] = {"total_duration": 6_000_000_000}
    nodes["a3"]["usage"] = {"total_duration": 0}
    found = messages(read(tmp_path, exported(nodes)))
    assert (found["a1"].completed_at, found["a3"].completed_at) == (at(7), None)


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, Status.OK),
        ({"done": False}, Status.PARTIAL),
        ({"error": {"content": "no model"}}, Status.ERROR),
        ({"error": True, "done": False}, Status.ERROR),
        ({"error": None, "done": None}, Status.OK),
    ],
)
def test_how_an_answer_ended(tmp_path, changed, status):
    nodes = tree()
    nodes["a3"].update(changed)
    assert messages(read(tmp_path, exported(nodes)))["a3"].status is status


def test_reasoning_folded_into_a_reply_is_not_what_it_says(tmp_path):
    nodes = tree()
    folded = '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> hm\n</details>\n'
    nodes["a1"]["content"] = folded + "By tram."
    nodes["a2"]["content"] = '<details type="reasoning" done="false">\nnever closed'
    nodes["a3"]["content"] = "<details><summary>More</summary>Shown</details>"
    found = messages(read(tmp_path, exported(nodes)))
    assert found["a1"].content == "By tram."
    assert found["a2"].content == nodes["a2"]["content"]
    assert found["a3"].content == nodes["a3"]["content"]


def test_files_and_parts(tmp_path):
    nodes = tree()
    nodes["q1"]["files"] = [{"type": "image", "url": "x"}]
    nodes["q2"]["content"] = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {}}]
    found = messages(read(tmp_path, exported(nodes)))
    assert (found["q1"].has_attachment, found["q2"].has_attachment, found["q2"].content) == (
        True,
        True,
        "What is this?",
    )


def test_a_vote_in_a_message_is_placed_at_its_message(tmp_path):
    nodes = tree()
    nodes["a1"]["annotation"] = {"rating": -1, "reason": "other", "comment": "off the point", "tags": ["travel"]}
    nodes["a3"]["annotation"] = {"rating": None, "tags": []}
    (vote,) = events(read(tmp_path, exported(nodes)))
    assert (vote.event, vote.message_id, vote.at, vote.text) == (EventKind.THUMBS_DOWN, "a1", at(1), "off the point")
    assert vote.flags == ("time_inferred",)


def test_a_vote_in_a_message_without_a_time_is_placed_by_its_chat(tmp_path):
    nodes = tree()
    nodes["a1"].update(annotation={"rating": 1}, timestamp=None)
    (vote,) = events(read(tmp_path, exported(nodes)))
    assert (vote.event, vote.at) == (EventKind.THUMBS_UP, at(100))


def test_a_feedback_record_is_a_vote_with_its_own_time(tmp_path):
    (vote,) = read(tmp_path, voted())
    assert (vote.event, vote.conversation_id, vote.message_id, vote.at, vote.user_id, vote.text) == (
        EventKind.THUMBS_DOWN,
        "c1",
        "a3",
        at(75),
        "u1",
        None,
    )


@pytest.mark.parametrize(
    ("rating", "kind"),
    [(1, EventKind.THUMBS_UP), ("1", EventKind.THUMBS_UP), ("-1", EventKind.THUMBS_DOWN), (0, EventKind.THUMBS_CLEAR)],
)
def test_spellings_of_a_vote(tmp_path, rating, kind):
    assert [e.event for e in read(tmp_path, voted(data={"rating": rating}))] == [kind]


def test_a_scale_of_ten_is_no_vote(tmp_path):
    assert read(tmp_path, voted(data={"rating": None, "details": {"rating": 1}}, details={"rating": 1})) == []
    assert read(tmp_path, voted(data={"rating": 7})) == [Refusal(Reason.UNKNOWN_VALUE, "data.rating")]


def snapshots(body):
    row = {"id": "c1", "user_id": "u1", "title": "Trip", "chat": body, "created_at": START, "updated_at": START}
    return [{"chat": row}, {"chat": {"id": "c1", "user_id": "u1", **body}}, {"chat": {"id": "c1"}, **body}]


@pytest.mark.parametrize("wrapping", range(3))
def test_a_snapshot_gives_the_messages_that_the_chat_itself_gives(tmp_path, wrapping):
    body = exported()["chat"]
    snapshot = snapshots({"history": body["history"], "models": ["small-1"]})[wrapping]
    found = read(tmp_path, voted(snapshot=snapshot))
    assert messages(found) == messages(read(tmp_path, exported()))
    assert len(events(found)) == 1


def test_a_vote_that_a_snapshot_repeats_counts_as_the_record_says(tmp_path):
    nodes = tree()
    nodes["a3"]["annotation"] = {"rating": -1}
    snapshot = snapshots(exported(nodes)["chat"])[0]
    found = events(read(tmp_path, voted(snapshot=snapshot, data={"rating": 1})))
    assert [e.event for e in found] == [EventKind.THUMBS_UP]


def test_a_feedback_record_that_names_nothing_is_refused(tmp_path):
    found = read(tmp_path, voted(meta={"chat_id": None, "message_id": None}), format="openwebui")
    assert refusals(found) == [Refusal(Reason.MISSING_KEY, "meta.message_id")]


def test_a_chat_of_before_the_tree_is_a_list(tmp_path):
    listed = [
        {"role": "user", "content": "Where?", "timestamp": START},
        {"role": "assistant", "content": "There.", "timestamp": START + 1},
        {"role": "user", "content": "Where?", "timestamp": START + 9},
        {"role": "user", "content": "Now?"},
        {"role": "user", "content": "Now?"},
    ]
    found = list(messages(read(tmp_path, {**exported(), "chat": {"messages": listed}})).values())
    assert [m.content for m in found] == ["Where?", "There.", "Where?", "Now?", "Now?"]
    assert [m.parent_id for m in found] == [None, *[m.message_id for m in found[:-1]]]
    assert [m.seq for m in found] == [None, None, None, 3, 4]


def test_a_message_that_only_the_list_holds_is_kept(tmp_path):
    chat = exported()
    chat["chat"]["messages"].append(node("q9", "a3", "user", 90))
    assert list(messages(read(tmp_path, chat)))[-1] == "q9"


def test_a_chat_alone_and_an_array_of_chats(tmp_path):
    alone = {**exported()["chat"], "id": "c1"}
    assert [m.content for m in read(tmp_path, alone)] == [m.content for m in read(tmp_path, exported())]
    assert read(tmp_path, [exported(), None]) == read(tmp_path, exported())


def test_rows_of_the_tables_hold_json_in_strings(tmp_path):
    row = exported()
    assert read(tmp_path, {**row, "chat": json.dumps(row["chat"])}) == read(tmp_path, row)
    vote = voted(snapshot={"chat": row})
    dumped = {**vote, **{k: json.dumps(vote[k]) for k in ("data", "meta", "snapshot")}}
    assert read(tmp_path, dumped) == read(tmp_path, vote)


def test_the_database_holds_chats_and_feedback(tmp_path):
    chat, vote = exported(), voted()
    db = sqlite3.connect(tmp_path / "webui.db")
    with db:
        for name, record in (("chat", chat), ("feedback", vote)):
            plain = {k: json.dumps(v) if isinstance(v, dict) else v for k, v in record.items()}
            db.execute(f"CREATE TABLE {name} ({', '.join(plain)})")
            db.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(plain))})", tuple(plain.values()))  # noqa: S608
    db.close()
    assert opened(tmp_path / "webui.db").format.name == "openwebui"
    assert items_of(tmp_path / "webui.db") == read(tmp_path, chat, vote)


def test_a_chat_without_times_is_read_and_gets_none(tmp_path):
    nodes = {k: {**n, "timestamp": None} for k, n in tree().items()}
    found = messages(read(tmp_path, exported(nodes, created_at=None, updated_at=None)))
    assert {(m.created_at, m.completed_at) for m in found.values()} == {(None, None)}


def test_a_message_that_cannot_be_taken_is_refused_and_the_others_go_on(tmp_path):
    nodes = tree()
    nodes["a1"]["role"] = "narrator"
    nodes["q2"]["timestamp"] = 12
    nodes["a3"] = "junk"
    found = read(tmp_path, exported(nodes))
    assert list(messages(found)) == ["q1", "a2"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.UNKNOWN_VALUE, "chat.history.messages.role"),
        (Reason.TIME_OUT_OF_RANGE, "chat.history.messages.timestamp"),
        (Reason.WRONG_TYPE, "chat.history.messages"),
    ]


def test_roles_of_other_speakers_stay(tmp_path):
    nodes = tree()
    nodes["q1"]["role"] = "system"
    assert messages(read(tmp_path, exported(nodes)))["q1"].role is Role.SYSTEM


@pytest.mark.parametrize("record", [exported(), voted(), {**exported()["chat"], "id": "c1"}])
def test_it_is_recognised_by_chats_and_by_feedback(tmp_path, record):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert opened(path).format.name == "openwebui"


@given(mutated([exported(), voted(snapshot={"chat": exported()}), {**exported(), "chat": {"messages": [{}]}}]))
@settings(max_examples=80, deadline=None)
def test_junk_anywhere_is_an_item_or_a_refusal(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("openwebui")
    assert_withstands(folder, "x.jsonl", copy.deepcopy(records), {"format": "openwebui"})
