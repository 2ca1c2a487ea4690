"""Which calls of a trace are turns, whose conversation they are of, and what feedback on them is about."""

from schemas.enums import Role
from tests.pipelines.readers.calls_kit import THREE, above, at, call, one, put, remark, said


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


def test_a_call_that_two_tools_logged_one_around_the_other_is_one() -> None:
    outer = call(1, "u:fix it", "a:Done.", 0, trace_id="t", ended_at=at(5))
    inner = call(2, "u:fix it", "a:Done.", 0.02, trace_id="t", parent_id="call-1", model="large", first_token_at=at(1))
    made = put([outer, inner, call(3, "u:fix it", "a:Done.", 40)], remark(call_id="call-2"))
    assert said(made) == ["u:fix it", "a:Done.", "u:fix it", "a:Done."]
    assert (made.messages[1][0].model, made.messages[1][0].created_at) == ("large", at(1))
    assert made.events[0][0].message_id == made.messages[1][0].message_id


def test_a_trace_of_many_requests_is_a_conversation_whatever_its_prompts() -> None:
    made = put([call(n, f"s:{n} is the day | u:question {n}", f"a:{n}", n * 10, trace_id="t") for n in range(6)])
    assert made.set_aside == 0
    assert sum(m.role is Role.USER for m, _ in made.messages) == 6


def test_a_trace_of_many_requests_that_agents_made_of_one_is_one_turn() -> None:
    steps = [call(n, f"s:{n} is your part | u:find {n}", f"a:{n}", n * 5.1, trace_id="t") for n in range(1, 6)]
    made = put([*steps, call(9, "s:Write. | u:Where is it?", "a:Under the mat.", 30.7, trace_id="t")])
    assert said(made) == ["s:Write.", "u:Where is it?", "a:Under the mat."]


def test_whole_calls_that_hold_the_request_only_follow_one_another() -> None:
    made = put(
        [
            call(1, "u:one", "a:First answer.", 0, trace_id="t1", whole=True),
            call(2, "u:one | a:First answer. | u:two", "a:Second answer.", 10),
            call(3, "u:three", "a:Third answer.", 20, trace_id="t3", whole=True),
        ]
    )
    assert above(made, "three") == "Second answer."


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


def test_feedback_on_what_is_not_there_keeps_the_id_that_it_names() -> None:
    made = put([THREE[0]], remark(trace_id="t-9"), remark(call_id="call-1", trace_id="t-9"))
    about = {e.message_id for e, _ in made.events}
    assert about == {"t-9", one(made, "Hello!").message_id}


def test_a_call_that_names_no_conversation_is_of_the_one_around_it_where_a_trace_has_two() -> None:
    made = put(
        [
            call(1, "u:one", "a:1", 0, trace_id="t"),
            call(2, "u:two", "a:2", 10, trace_id="t", conversation_id="c2"),
            call(3, "u:two | a:2 | u:three", "a:3", 20, trace_id="t", conversation_id=None, parent_id="call-2"),
            call(4, "u:one | a:1 | u:four", "a:4", 30, trace_id="t", conversation_id=None),
        ]
    )
    assert [one(made, t).conversation_id for t in ("one", "two", "three", "four")] == ["c1", "c2", "c2", "c1"]


def test_calls_of_a_trace_of_which_nothing_was_captured_are_one_turn() -> None:
    made = put([call(n, None, None, n * 10, trace_id="t") for n in range(3)])
    assert said(made) == ["u:-", "a:-"]
    assert (made.messages[0][0].created_at, made.messages[1][0].completed_at) == (at(0), at(25))
    assert made.set_aside == 4
