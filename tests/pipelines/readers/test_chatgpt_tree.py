"""The tree of a ChatGPT conversation: branches, the active path, loops, and what hangs on nothing."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.readers.formats.chatgpt_tree import conversation_items
from pipelines.readers.landing import context_for
from pipelines.readers.sources import Sources
from schemas.enums import Role
from schemas.reasons import Reason
from schemas.records import Message
from tests.pipelines.readers.chatgpt_kit import ASK, ROOT, at, conversation, messages, read, said
from tests.pipelines.readers.kit import DAY, refusals


def test_a_turn_is_read_with_its_clocks_model_and_parent(tmp_path: Path) -> None:
    reply = said("assistant", "In late winter.", 4.0, metadata={"model_slug": "gpt-x"})
    q, a = read(tmp_path, conversation(ROOT, ASK, ("a", "q", reply)))
    assert isinstance(q, Message)
    assert isinstance(a, Message)
    assert (q.role, q.content, q.created_at, q.parent_id) == (Role.USER, "When do I prune the quince?", at(0), None)
    assert (a.role, a.created_at, a.completed_at, a.parent_id) == (Role.ASSISTANT, at(4), None, "q")
    assert (a.model, a.conversation_id, a.source, a.seq, a.flags) == ("gpt-x", "c1", "chatgpt", None, ())


def test_a_declared_meaning_of_the_time_is_honoured(tmp_path: Path) -> None:
    record = conversation(ROOT, ASK, ("a", "q", said("assistant", "Late winter.", 4.0)))
    q, a = read(tmp_path, record, declared={"reply_time": "stored", "source": "garden"})
    assert isinstance(q, Message)
    assert isinstance(a, Message)
    assert (q.created_at, a.created_at, a.completed_at, a.source) == (at(0), None, at(4), "garden")


def test_the_active_path_is_the_stated_one_and_the_other_branch_is_kept(tmp_path: Path) -> None:
    record = conversation(
        ROOT,
        ASK,
        ("n7", "q", said("assistant", "In May.", 3.0)),
        ("n9", "q", said("assistant", "In late winter.", 20.0)),
        ("q2", "n9", said("user", "And the medlar?", 30.0)),
    )
    found = messages(read(tmp_path, record))
    assert {k: m.flags for k, m in found.items()} == {"q": (), "n7": ("off_branch",), "n9": (), "q2": ()}
    assert found["n7"].parent_id == found["n9"].parent_id == "q"


def test_the_user_may_have_gone_back_to_the_older_branch(tmp_path: Path) -> None:
    nodes = (ROOT, ASK, ("old", "q", said("assistant", "May.", 3.0)), ("new", "q", said("assistant", "March.", 9.0)))
    found = messages(read(tmp_path, conversation(*nodes, current_node="old")))
    assert (found["old"].flags, found["new"].flags) == ((), ("off_branch",))


@pytest.mark.parametrize("current", ["nowhere", None, 7, "lost"])
def test_without_a_usable_current_node_the_newest_leaf_is_taken_and_marked(tmp_path: Path, current: Any) -> None:
    nodes = (
        ROOT,
        ASK,
        ("new", "q", said("assistant", "March.", 9.0)),
        ("old", "q", said("assistant", "May.", 3.0)),
        ("none", "q", said("assistant", "June.", None)),
        ("lost", "gone", said("assistant", "July.", 99.0)),
    )
    found = messages(read(tmp_path, conversation(*nodes, current_node=current)))
    marked = {k: m.flags for k, m in found.items()}
    assert marked["q"] == marked["new"] == ("path_inferred",)
    assert marked["old"] == marked["none"] == ("off_branch", "path_inferred")


def test_leaves_of_one_time_are_told_apart_by_their_place_in_the_file(tmp_path: Path) -> None:
    nodes = (ROOT, ASK, ("b", "q", said("assistant", "May.", 3.0)), ("a", "q", said("assistant", "June.", 3.0)))
    record = conversation(*nodes)
    del record["current_node"]
    assert messages(read(tmp_path, record))["a"].flags == ("path_inferred",)


def test_a_loop_of_parents_is_refused_and_the_rest_is_kept(tmp_path: Path) -> None:
    record = conversation(
        ROOT,
        ASK,
        ("x", "y", said("user", "round")),
        ("y", "x", said("assistant", "and round")),
        ("lost", "gone", said("user", "whose child am I?")),
        ("empty", "gone", None),
    )
    found = read(tmp_path, record)
    assert list(messages(found)) == ["q"]
    assert [(r.reason, r.field) for r in refusals(found)] == [
        (Reason.BROKEN_TREE, f"mapping[{n}].parent") for n in (2, 3, 4)
    ]


def test_a_chain_of_a_hundred_thousand_messages_does_not_recurse() -> None:

    nodes = [("0", None, said("user", "0"))]
    nodes += [(str(n), str(n - 1), {"author": {"role": "user"}, "content": None}) for n in range(1, 100_000)]
    found = list(conversation_items(conversation(*nodes), (), context_for(Sources(), "x", DAY, "x")))
    assert len(found) == 100_000
    assert isinstance(found[-1], Message)
    assert (found[-1].parent_id, found[-1].seq) == ("99998", 99_999)


def test_structural_nodes_are_passed_over_and_parents_reach_over_them(tmp_path: Path) -> None:
    record = conversation(
        ROOT,
        ("s", "root", said("system", "", None, weight=0.0)),
        ("q", "s", said("user", "Why do figs split?")),
        ("gap", "q", None),
        ("gap2", "gap", None),
        ("a", "gap2", said("assistant", "Rain after drought.", 3.0)),
    )
    found = messages(read(tmp_path, record))
    assert {k: m.parent_id for k, m in found.items()} == {"q": None, "a": "q"}


def test_regenerated_replies_are_siblings_whatever_was_thought_in_between(tmp_path: Path) -> None:
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "Figs", "content": "Let me see"}]}
    recap = {"content_type": "reasoning_recap", "content": "Thought for 3 seconds"}
    code = {"content_type": "code", "language": "unknown", "text": 'search("fig splitting")'}
    record = conversation(
        ROOT,
        ASK,
        ("t1", "q", said("assistant", thoughts, 1.0)),
        ("a1", "t1", said("assistant", "Rain.", 3.0)),
        ("t2", "q", said("assistant", thoughts, 11.0)),
        ("r2", "t2", said("assistant", recap, 12.0)),
        ("call", "r2", said("assistant", code, 13.0, recipient="web")),
        ("out", "call", said("tool", {"content_type": "execution_output", "text": "12 hits"}, 14.0)),
        ("a2", "out", said("assistant", "Rain after drought.", 15.0)),
        ("q2", "a2", said("user", "Thanks", 30.0)),
    )
    found = messages(read(tmp_path, record))
    assert "t1" not in found  # a thought is no message
    assert found["a1"].parent_id == found["a2"].parent_id == "q"
    assert (found["call"].role, found["call"].content) == (Role.TOOL, 'search("fig splitting")')
    assert (found["out"].role, found["out"].content) == (Role.TOOL, "12 hits")
    assert found["q2"].parent_id == "a2"
