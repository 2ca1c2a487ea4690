"""Conversations out of logged calls: each turn once, and what was really said twice, twice."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from pipelines.readers.calls import Assembly, assemble
from pipelines.readers.items import Call, Remark, Turn
from pipelines.readers.raw import Place
from schemas.enums import EventKind, Role, Status
from schemas.records import Message

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM, "t": Role.TOOL}


def at(seconds: float | None) -> datetime | None:
    return None if seconds is None else START + timedelta(seconds=seconds)


def turns(text: str | None) -> tuple[Turn, ...] | None:
    """`u:hi | a:hello` as turns; `a:-` holds no text; None was not captured."""
    if text is None:
        return None
    parts = [p.strip().partition(":") for p in text.split("|") if p.strip()]
    return tuple(Turn(role=ROLES[role], text=None if said == "-" else said) for role, _, said in parts)


def call(n: int, sent: str | None, said: str | None, when: float | None = 0.0, **more: object) -> Call:
    """Call n, logged from `when` to 5 s later."""
    values: dict[str, object] = {
        "source": "app",
        "conversation_id": "c1",
        "trace_id": None,
        "call_id": f"call-{n}",
        "started_at": at(when),
        "ended_at": at(None if when is None else when + 5),
        "input": turns(sent),
        "output": turns(said),
    }
    return Call(**(values | more))  # type: ignore[arg-type]


def put(calls: Sequence[Call], *remarks: Remark) -> Assembly:
    """Assemble, and hold the result to what is promised of every one."""
    placed = [(c, Place("f.jsonl", n + 1, 0, 1, "00")) for n, c in enumerate(calls)]
    noted = [(r, Place("v.jsonl", n + 1, 0, 1, "00")) for n, r in enumerate(remarks)]
    made = assemble(placed, noted)
    assert made.turns == len(made.messages) + made.duplicates + made.set_aside
    shuffled = random.Random(7).sample(placed, len(placed))
    assert [m for m, _ in assemble(shuffled, noted[::-1]).messages] == [m for m, _ in made.messages]
    ids = [(m.conversation_id, m.message_id) for m, _ in made.messages]
    assert len(set(ids)) == len(ids)
    named = set(ids)
    assert all(m.parent_id is None or (m.conversation_id, m.parent_id) in named for m, _ in made.messages)
    return made


def said(made: Assembly) -> list[str]:
    return [f"{m.role[0]}:{'-' if m.content is None else m.content}" for m, _ in made.messages]


def one(made: Assembly, content: str) -> Message:
    (found,) = [m for m, _ in made.messages if m.content == content]
    return found


def above(made: Assembly, content: str) -> str | None:
    """What stands before a turn."""
    parent = one(made, content).parent_id
    return None if parent is None else next(m.content for m, _ in made.messages if m.message_id == parent)


def remark(**more: object) -> Remark:
    values: dict[str, object] = {"source": "app", "event": EventKind.THUMBS_DOWN, "at": at(99)}
    return Remark(**(values | more))  # type: ignore[arg-type]


THREE = [
    call(1, "s:Be kind. | u:hi", "a:Hello!", 0),
    call(2, "s:Be kind. | u:hi | a:Hello! | u:how are you?", "a:Fine, thanks.", 10),
    call(3, "s:Be kind. | u:hi | a:Hello! | u:how are you? | a:Fine, thanks. | u:hi", "a:Hi again.", 20),
]


def test_a_history_that_grows_gives_each_turn_once_and_a_real_repeat_twice() -> None:
    made = put(THREE)
    assert said(made) == [
        "s:Be kind.", "u:hi", "a:Hello!", "u:how are you?", "a:Fine, thanks.", "u:hi", "a:Hi again.",
    ]  # fmt: skip
    assert above(made, "Hi again.") == "hi"
    assert above(made, "how are you?") == "Hello!"
    assert made.duplicates == 8


def test_a_request_has_the_time_at_which_it_was_sent_and_a_reply_those_of_its_tokens() -> None:
    made = put([call(1, "u:hi", "a:Hello!", 0, first_token_at=at(1)), THREE[1]])
    asked, reply = one(made, "how are you?"), one(made, "Hello!")
    assert (asked.created_at, asked.completed_at) == (at(10), None)
    assert (reply.created_at, reply.completed_at) == (at(1), at(5))


def test_turns_known_from_a_history_only_have_no_time_and_say_so() -> None:
    made = put([THREE[1]])
    assert [m.flags for m, _ in made.messages] == [("restated",), ("restated",), ("restated",), (), ()]
    assert one(made, "Hello!").completed_at is None


def test_the_same_history_has_the_same_ids_on_another_day() -> None:
    first, second = put(THREE[:2]), put(THREE[2:])
    before = {m.message_id for m, _ in first.messages}
    assert {m.message_id for m, _ in second.messages} >= before


def test_equal_inputs_without_history_are_two_turns() -> None:
    made = put([call(1, "s:x | u:fix it", "a:Done.", 0), call(2, "s:x | u:fix it", "a:Fixed.", 40)])
    assert said(made) == ["s:x", "u:fix it", "a:Done.", "u:fix it", "a:Fixed."]
    assert above(made, "Fixed.") == "fix it"
    assert made.messages[3][0].parent_id == one(made, "Done.").message_id


@pytest.mark.parametrize("other", [{}, {"call_id": "other", "trace_id": "t-2"}])
def test_a_call_that_was_exported_twice_is_one(other: dict[str, object]) -> None:
    first = call(1, "u:fix it", "a:Done.", 0, trace_id="t-1")
    again = call(1, "u:fix it", "a:Done.", 0, **({"trace_id": "t-1"} | other))
    made = put([first, again, call(2, "u:next", "a:Ok.", 60)], remark(call_id=again.call_id, conversation_id="c1"))
    assert said(made) == ["u:fix it", "a:Done.", "u:next", "a:Ok."]
    assert made.events[0][0].message_id == one(made, "Done.").message_id


def test_a_regenerated_reply_is_a_sibling_and_so_is_an_edited_request() -> None:
    made = put(
        [
            *THREE[:2],
            call(4, "s:Be kind. | u:hi | a:Hello! | u:how are you?", "a:Well.", 30),
            call(5, "s:Be kind. | u:hi | a:Hello! | u:how old are you?", "a:Ageless.", 40),
        ]
    )
    assert above(made, "Well.") == above(made, "Fine, thanks.") == "how are you?"
    assert above(made, "how old are you?") == above(made, "how are you?") == "Hello!"


def test_a_regenerated_reply_with_the_same_words_is_kept() -> None:
    made = put([*THREE, call(4, "u:hi | a:Hello! | u:how are you?", "a:Fine, thanks.", 30)])
    assert said(made).count("a:Fine, thanks.") == 2


def test_a_failed_call_and_its_retry_answer_one_request() -> None:
    failed = call(4, "u:hi | a:Hello! | u:plan trip", None, 30, status=Status.ERROR)
    made = put([THREE[0], failed, call(5, "u:hi | a:Hello! | u:plan trip", "a:Planned.", 34)])
    assert said(made) == ["s:Be kind.", "u:hi", "a:Hello!", "u:plan trip", "a:-", "a:Planned."]
    assert [m.status for m, _ in made.messages][-2:] == [Status.ERROR, Status.OK]


def test_system_prompts_that_vary_do_not_break_the_chain() -> None:
    dated = [
        call(1, "s:Today is Monday. | u:hi", "a:Hello!", 0),
        call(2, "s:Today is Tuesday. | u:hi | a:Hello! | u:more", "a:More.", 10),
    ]
    made = put(dated)
    assert said(made) == ["s:Today is Monday.", "u:hi", "a:Hello!", "s:Today is Tuesday.", "u:more", "a:More."]
    assert above(made, "more") == "Hello!"


def test_a_window_that_cuts_off_the_front_doubles_nothing() -> None:
    made = put(
        [
            call(1, "u:one", "a:First answer.", 0),
            call(2, "u:one | a:First answer. | u:two", "a:Second answer.", 10),
            call(3, "a:First answer. | u:two | a:Second answer. | u:three", "a:Third answer.", 20),
            call(4, "u:three | a:Third answer. | u:two", "a:Fourth answer.", 30),
            call(5, "u:two | a:Fourth answer. | u:five", "a:Fifth answer.", 40),
        ]
    )
    assert said(made) == [
        "u:one", "a:First answer.", "u:two", "a:Second answer.", "u:three", "a:Third answer.",
        "u:two", "a:Fourth answer.", "u:five", "a:Fifth answer.",
    ]  # fmt: skip
    assert above(made, "five") == "Fourth answer."


def test_a_summary_in_place_of_a_history_is_what_the_application_wrote() -> None:
    made = put(
        [
            call(1, "u:one", "a:First answer.", 0),
            call(2, "u:one | a:First answer. | u:two", "a:Second answer.", 10),
            call(3, "u:So far: one. | u:two | a:Second answer. | u:three", "a:Third answer.", 20),
        ]
    )
    assert one(made, "So far: one.").role is Role.SYSTEM
    assert above(made, "three") == "Second answer."
    assert len(made.messages) == 7


def test_words_that_were_filled_in_around_a_request_and_left_out_later_are_one_turn() -> None:
    made = put(
        [
            call(1, "u:Context: x. Question: why?", "a:Because of the rain.", 0),
            call(2, "u:why? | a:Because of the rain. | u:Context: y. Question: when?", "a:On Monday at nine.", 10),
            call(3, "u:why? | a:Because of the rain. | u:when? | a:On Monday at nine. | u:where?", "a:Here.", 20),
        ]
    )
    assert [m.role for m, _ in made.messages] == [Role.USER, Role.ASSISTANT] * 3


def test_trimmed_and_reshaped_words_match() -> None:
    made = put(
        [
            call(1, "u:hi", "a: Hello!\n\nHow are you?\n", 0),
            call(2, "u:hi | a:Hello! How are you? | u:good", "a:Great.", 10),
        ]
    )
    assert len(made.messages) == 4
    assert "\n\n" in (made.messages[1][0].content or "")


def test_steps_of_tools_stand_between_request_and_reply_also_where_later_histories_leave_them_out() -> None:
    made = put(
        [
            call(1, "u:weather?", "a:-", 0, trace_id="t"),
            call(2, "u:weather? | a:- | t:12 degrees", "a:It is cold.", 6, trace_id="t"),
            call(3, "u:weather? | a:It is cold. | u:and tomorrow?", "a:Warmer.", 20, trace_id="t2"),
        ]
    )
    assert said(made) == ["u:weather?", "a:-", "t:12 degrees", "a:It is cold.", "u:and tomorrow?", "a:Warmer."]
    assert above(made, "and tomorrow?") == "It is cold."
    assert one(made, "weather?").created_at == at(0)


def test_titles_routes_and_verdicts_are_set_aside() -> None:
    made = put(
        [
            call(1, "s:Route the request. | u:My bill is wrong", "a:billing", 0, trace_id="t"),
            call(2, "s:You help. | u:My bill is wrong", "a:Let me look.", 6, trace_id="t"),
            call(3, "s:Write a title. | u:User said: My bill is wrong", "a:Billing trouble", 12, trace_id="t"),
        ],
        remark(call_id="call-3"),
    )
    assert said(made) == ["s:You help.", "u:My bill is wrong", "a:Let me look."]
    assert made.set_aside == 6
    reply = one(made, "Let me look.")
    assert set(reply.aliases) == {"t", "call-1", "call-2", "call-3"}
    assert made.events[0][0].message_id == reply.message_id


def test_a_whole_call_is_the_turn_and_the_calls_inside_supply_what_it_lacks() -> None:
    made = put(
        [
            call(0, "u:hi", "a:Hello!", 0, trace_id="t", call_id="root", whole=True),
            call(1, "s:Think. | u:hi", "a:hm", 1, trace_id="t", parent_id="root", model="small"),
            call(2, "s:Answer. | u:hi | a:hm", "a:Hello!", 3, trace_id="t", parent_id="call-1", model="large",
                 first_token_at=at(4)),
        ]
    )  # fmt: skip
    assert said(made) == ["u:hi", "a:Hello!"]
    assert (one(made, "Hello!").model, one(made, "Hello!").created_at) == ("large", at(4))


def test_the_conversation_that_one_call_of_a_trace_names_is_that_of_all() -> None:
    made = put([call(1, "u:hi", None, 0, trace_id="t", conversation_id=None, whole=True),
                call(2, "u:hi", "a:Hello!", 1, trace_id="t", parent_id="call-1")])  # fmt: skip
    assert said(made) == ["u:hi", "a:Hello!"]
    assert {m.conversation_id for m, _ in made.messages} == {"c1"}


def test_a_trace_a_user_or_a_call_stands_for_a_conversation_that_nothing_names() -> None:
    made = put(
        [
            call(1, "u:one", "a:1", 0, conversation_id=None, trace_id="t"),
            call(2, "u:two", "a:2", 0, conversation_id=None),
            call(3, "u:three", "a:3", 0, conversation_id=None, user_id="ann"),
        ]
    )
    assert {one(made, t).conversation_id for t in ("one", "two", "three")} == {"t", "call-2", None}
    assert one(made, "three").user_id == "ann"


def test_equal_openings_of_one_user_without_conversations_are_two_turns() -> None:
    calls = [
        call(1, "u:hello", "a:Hi Ann, what can I do?", 0, conversation_id=None, user_id="ann"),
        call(2, "u:hello | a:Hi Ann, what can I do? | u:nothing", "a:Fine.", 10, conversation_id=None, user_id="ann"),
        call(3, "u:hello", "a:Hello once more!", 90, conversation_id=None, user_id="ann"),
        call(4, "u:hello | a:Hi Ann, what can I do? | u:something", "a:What?", 95, conversation_id=None, user_id="ann"),
    ]
    made = put(calls)
    assert said(made).count("u:hello") == 2
    assert above(made, "something") == above(made, "nothing") == "Hi Ann, what can I do?"


def test_calls_that_go_on_from_a_response_by_its_id_are_one_conversation() -> None:
    made = put(
        [
            call(1, "u:one", "a:1", 0, conversation_id=None),
            call(2, "u:two", "a:2", 10, conversation_id=None, parent_id="call-1"),
            call(3, "u:two again", "a:3", 20, conversation_id=None, parent_id="call-1"),
        ]
    )
    assert {m.conversation_id for m, _ in made.messages} == {"call-1"}
    assert above(made, "two") == above(made, "two again") == "1"


def test_what_was_not_captured_is_a_turn_without_text_and_an_empty_output_is_partial() -> None:
    made = put([call(1, None, None, 0), call(2, None, "", 10, status=Status.OK)])
    assert [(m.role, m.content) for m, _ in made.messages] == [
        (Role.USER, None), (Role.ASSISTANT, None), (Role.USER, None), (Role.ASSISTANT, ""),
    ]  # fmt: skip
    assert made.messages[-1][0].status is Status.PARTIAL


def test_a_later_history_supplies_the_words_that_were_not_captured() -> None:
    made = put([call(1, "u:hi", None, 0), call(2, "u:hi | a:Hello! | u:bye", "a:Bye.", 10)])
    assert said(made) == ["u:hi", "a:Hello!", "u:bye", "a:Bye."]
    assert one(made, "Hello!").completed_at == at(5)
    assert "restated" not in one(made, "Hello!").flags


def test_calls_without_times_are_ordered_by_what_they_send() -> None:
    calls = [
        call(9, "u:one", "a:First answer.", None),
        call(8, "u:one | a:First answer. | u:two", "a:Second answer.", None),
        call(1, "u:two | a:Second answer. | u:three", "a:Third answer.", None),
        call(2, "u:three | a:Third answer. | u:four", "a:Fourth answer.", None),
    ]
    made = put(calls)
    assert [m.seq for m, _ in made.messages] == list(range(8))
    assert said(made)[::2] == ["u:one", "u:two", "u:three", "u:four"]


def test_a_history_that_comes_back_in_the_output_is_not_said_again() -> None:
    made = put([call(1, "u:hi", "u:hi | a:Hello!", 0), call(2, "u:bye", "u:bye | a:Bye.", 9)])
    assert said(made) == ["u:hi", "a:Hello!", "u:bye", "a:Bye."]


def test_feedback_on_what_is_not_there_keeps_the_id_that_it_names() -> None:
    made = put([THREE[0]], remark(trace_id="t-9"), remark(call_id="call-1", trace_id="t-9"))
    about = {e.message_id for e, _ in made.events}
    assert about == {"t-9", one(made, "Hello!").message_id}


def test_long_conversations_take_linear_time() -> None:
    history: list[Turn] = []
    calls = []
    for n in range(600):
        history.append(Turn(role=Role.USER, text=f"question {n} " * 5))
        reply = Turn(role=Role.ASSISTANT, text=f"answer {n} " * 20)
        calls.append(msg_call(n, history[-400:], reply))
        history.append(reply)
    made = assemble([(c, Place("f", n, 0, 1, "00")) for n, c in enumerate(calls)], [])
    assert len(made.messages) == 1200


def msg_call(n: int, sent: Sequence[Turn], reply: Turn) -> Call:
    return Call(
        source="app", conversation_id="c1", trace_id=None, call_id=f"call-{n}", started_at=at(n * 10),
        ended_at=at(n * 10 + 5), input=tuple(sent), output=(reply,),
    )  # fmt: skip
