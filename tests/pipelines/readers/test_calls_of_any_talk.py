"""Any conversation, logged as calls in any of the ways that people log them, comes out as it was."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipelines.readers.calls import Assembly, assemble
from pipelines.readers.items import Call, Remark, Turn
from pipelines.readers.raw import Place
from schemas.enums import EventKind, Role, Status
from schemas.records import Message

START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
WORDS = ("fix it", "hi", "more", "继续", "and then?", " fix   it\n")
PROMPT = "You help the people of this town with whatever they ask. Today is day "
Path = tuple[str, ...]


@dataclass
class Talk:
    """A conversation as it was, and the calls that were logged of it.

    Attributes:
        path: The branch that the user is on.
        turns: What was said, each with all that was said before it.
        calls: The log.
        window: How many turns a history holds at most; 0 for all.
        bare: Whether histories leave out the steps of tools.
        cut: Whether a window has cut anything off.
    """

    window: int = 0
    bare: bool = False
    path: list[Turn] = field(default_factory=list)
    turns: set[Path] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    cut: bool = False

    def ask(self, text: str, tools: int, prompt: int) -> None:
        self.path.append(Turn(role=Role.USER, text=text))
        self.answer(tools, prompt)

    def answer(self, tools: int, prompt: int) -> None:
        trace = f"trace-{len(self.calls)}"
        for n in range(tools):
            self._call(Turn(role=Role.ASSISTANT, text=None), prompt, trace)
            self.path.append(Turn(role=Role.TOOL, text=f"result {n}"))
        self._call(Turn(role=Role.ASSISTANT, text=f"answer number {len(self.calls)} in words"), prompt, trace)
        self.turns |= {seen(self.path[: n + 1]) for n in range(len(self.path)) if shown(self.path[n])}

    def again(self, tools: int, prompt: int) -> None:
        """The last reply is made anew."""
        while self.path[-1].role is not Role.USER:
            self.path.pop()
        self.answer(tools, prompt)

    def edit(self, request: int, text: str, tools: int, prompt: int) -> None:
        """An earlier request is written anew, unless it was written so before."""
        asked = [n for n, t in enumerate(self.path) if t.role is Role.USER]
        at = asked[request % len(asked)]
        changed = [*self.path[:at], Turn(role=Role.USER, text=text)]
        if seen(changed) in self.turns or (not at and self.cut):
            return
        self.path = changed
        self.answer(tools, prompt)

    def _call(self, reply: Turn, prompt: int, trace: str) -> None:
        last = max(n for n, t in enumerate(self.path) if t.role is Role.USER)
        before = [t for t in self.path[:last] if shown(t) or not self.bare]
        if self.window and len(before) > self.window:
            kept = before[-self.window :]
            if any(t.role is Role.ASSISTANT and t.text for t in kept):
                self.cut, before = True, kept
        trimmed = [msgspec.structs.replace(t, text=t.text and t.text.strip()) for t in before]
        at = START + timedelta(seconds=30 * len(self.calls))
        self.calls.append(
            Call(
                source="app",
                conversation_id="c1",
                trace_id=trace,
                call_id=f"call-{len(self.calls)}",
                started_at=at,
                ended_at=at + timedelta(seconds=5),
                input=(Turn(role=Role.SYSTEM, text=f"{PROMPT}{prompt}"), *trimmed, *self.path[last:]),
                output=(reply,),
            )
        )
        self.path.append(reply)


def shown(turn: Turn) -> bool:
    return turn.role is Role.USER or (turn.role is Role.ASSISTANT and turn.text is not None)


def words(role: Role, text: str | None) -> str:
    return f"{role}:{''.join((text or '').split())}"


def seen(path: list[Turn]) -> Path:
    return tuple(words(t.role, t.text) for t in path if shown(t))


def found(made: Assembly) -> Counter[Path]:
    by_id = {m.message_id: m for m, _ in made.messages}
    paths: list[Path] = []
    for message in by_id.values():
        if message.role is Role.USER or (message.role is Role.ASSISTANT and message.content is not None):
            path: list[str] = []
            at: Message | None = message
            while at is not None:
                if at.role is Role.USER or (at.role is Role.ASSISTANT and at.content is not None):
                    path.append(words(at.role, at.content))
                at = by_id[at.parent_id] if at.parent_id else None
            paths.append(tuple(reversed(path)))
    return Counter(paths)


small = st.integers(0, 2)
act = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from(WORDS), small, small),
    st.tuples(st.just("again"), small, small),
    st.tuples(st.just("edit"), st.integers(0, 5), st.sampled_from(WORDS), small, small),
)


@st.composite
def talks(draw: st.DrawFn, windows: tuple[int, ...] = (0, 2, 3, 5), *, bare: bool = True) -> Talk:
    talk = Talk(window=draw(st.sampled_from(windows)), bare=bare and draw(st.booleans()))
    talk.ask(draw(st.sampled_from(WORDS)), draw(small), draw(small))
    talk.ask(draw(st.sampled_from(WORDS)), draw(small), draw(small))
    for name, *args in draw(st.lists(act, max_size=8)):
        getattr(talk, name)(*args)
    return talk


def put(calls: list[Call]) -> Assembly:
    made = assemble([(c, Place("f", n, 0, 1, "00")) for n, c in enumerate(calls)], [])
    assert made.turns == len(made.messages) + made.duplicates + made.set_aside
    return made


@settings(max_examples=100, deadline=None)
@given(talk=talks(), data=st.data())
def test_a_talk_comes_out_as_it_was(talk: Talk, data: st.DataObject) -> None:
    twice = data.draw(st.lists(st.sampled_from(talk.calls), max_size=3))
    other = [msgspec.structs.replace(c, call_id=f"{c.call_id}-copy") for c in twice]
    shuffled = data.draw(st.permutations([*talk.calls, *other, *twice]))
    made = put(shuffled)
    assert found(made) == Counter(talk.turns)
    assert [m for m, _ in put(talk.calls + other + twice).messages] == [m for m, _ in made.messages]


def sends_history(calls: list[Call]) -> bool:
    """Whether a day's calls show that histories are sent: a single request need not, several do by growing."""
    fronts = set()
    for call in calls:
        sent = [(t.role, t.text) for t in call.input or () if t.role is not Role.SYSTEM]
        last = max(n for n, (role, _) in enumerate(sent) if role is Role.USER)
        fronts.add(tuple(sent[:last]))
    spoken = any(role is Role.ASSISTANT for front in fronts for role, _ in front)
    return len({c.trace_id for c in calls}) == 1 or (spoken and len(fronts) > 1)


@settings(max_examples=60, deadline=None)
@given(talk=talks((0,), bare=False), split=st.integers(1, 20))
def test_a_talk_over_two_days_has_the_ids_that_it_has_in_one(talk: Talk, split: int) -> None:
    first, second = talk.calls[:split], talk.calls[split:]
    assume(second and first[-1].trace_id != second[0].trace_id)
    assume(sends_history(first) and sends_history(second))
    whole, one, two = put(talk.calls), put(first), put(second)

    def ids(made: Assembly) -> set[str]:
        return {m.message_id for m, _ in made.messages if m.role is Role.USER}

    assert ids(one) | ids(two) == ids(whole)


@settings(max_examples=50, deadline=None)
@given(asked=st.lists(st.sampled_from(WORDS), min_size=2, max_size=6), copied=st.integers(0, 5))
def test_requests_without_a_history_are_as_many_as_were_asked(asked: list[str], copied: int) -> None:
    talk = Talk()
    for text in asked:
        talk.path = []
        talk.ask(text, 0, 0)
    calls = [*talk.calls, talk.calls[copied % len(asked)]]
    made = put(calls)
    assert [words(m.role, m.content) for m, _ in made.messages if m.role is Role.USER] == [
        words(Role.USER, text) for text in asked
    ]
    linked = {m.message_id: m.parent_id for m, _ in made.messages}
    assert sum(p is None for i, p in linked.items()) == 2  # the system prompt and the first request


some = st.sampled_from
ids = some([None, "a", "b"])
turn = st.builds(
    Turn,
    role=some(list(Role)),
    text=some([None, "", "hi", "fix it", "a reply that says something"]),
    message_id=some([None, None, None, "m1", "m2"]),
    flags=some([(), ("off_branch",)]),
)
said = st.one_of(st.none(), st.lists(turn, max_size=4).map(tuple))
when = st.one_of(st.none(), st.integers(0, 3).map(lambda n: START + timedelta(seconds=n)))
any_call = st.builds(
    Call,
    source=some(["app", "other"]),
    conversation_id=ids,
    trace_id=ids,
    call_id=some(["a", "b", "c", "d"]),
    parent_id=some([None, "a", "b", "c", "d", "x"]),
    user_id=some([None, None, "ann"]),
    started_at=when,
    ended_at=when,
    input=said,
    output=said,
    status=some(list(Status)),
    whole=st.booleans(),
    output_id=some([None, "a", "r1"]),
)


@settings(max_examples=200, deadline=None)
@given(calls=st.lists(any_call, max_size=9), data=st.data())
def test_whatever_was_logged_every_turn_is_accounted_for_in_any_order(calls: list[Call], data: st.DataObject) -> None:
    placed = [(c, Place("f", n, 0, 1, "00")) for n, c in enumerate(calls)]
    remarks = [
        (Remark(source="app", event=EventKind.THUMBS_UP, at=START, trace_id=trace, call_id=call), placed[0][1])
        for trace in ("a", None)
        for call in ("a", "r1", None)
        if placed
    ]
    made = assemble(placed, remarks)
    assert made.turns == len(made.messages) + made.duplicates + made.set_aside
    named = {(m.source, m.conversation_id, m.user_id if m.conversation_id is None else None, m.message_id)
             for m, _ in made.messages}  # fmt: skip
    assert len(named) == len(made.messages)
    again = assemble(data.draw(st.permutations(placed)), data.draw(st.permutations(remarks)))
    assert again == made
