"""Conversations out of logged calls: each turn once, and what was really said twice, twice."""

from collections.abc import Sequence

import pytest

from pipelines.readers.calls import assemble
from pipelines.readers.items import Call, Turn
from pipelines.readers.raw import Place
from schemas.enums import Role, Status
from tests.pipelines.readers.calls_kit import THREE, above, at, call, one, put, remark, said, turns


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


def test_examples_that_stand_before_every_request_are_what_the_application_wrote() -> None:
    shown = "u:2+2? | a:Four."
    made = put([call(n, f"{shown} | u:{n}+{n}?", f"a:It is {n}.", n * 10) for n in range(1, 5)])
    assert [m.content for m, _ in made.messages if m.role is Role.SYSTEM] == ["2+2?", "Four."]
    assert [m.content for m, _ in made.messages if m.role is Role.USER] == ["1+1?", "2+2?", "3+3?", "4+4?"]


def test_ids_of_messages_are_kept_and_tell_equal_words_apart() -> None:
    def own(words: str, message_id: str) -> Turn:
        return Turn(role=Role.USER, text=words, message_id=message_id)

    first, second = own("fix it", "m1"), own("fix it", "m2")
    made = put(
        [
            call(1, "", "a:Done.", 0, input=(first,)),
            call(2, "", "a:Done now.", 0, input=(first, *(turns("a:Done.") or ()), second)),
            call(3, "", "a:Done at last.", 50, input=(second,)),
        ]
    )
    assert [m.message_id for m, _ in made.messages if m.role is Role.USER] == ["m1", "m2"]


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
