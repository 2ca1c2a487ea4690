"""Calls of spans in the GenAI conventions, and in those that came before them or stand beside them."""

from pipelines.readers.chat import Turns, content_of
from pipelines.readers.fields import Refused
from pipelines.readers.format import Context
from pipelines.readers.items import Call, Turn
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import Attributes, decoded, listed
from pipelines.readers.tracing.call import enclosing_call, make_call
from pipelines.readers.tracing.notes import is_answer, is_request, note_turns
from pipelines.readers.tracing.span import Span
from pipelines.readers.tracing.turns import after_request, read_turns, read_words, unmasked
from schemas.enums import Role

_MODEL_CALLS = frozenset({"chat", "text_completion", "completion", "generate_content", "message", "responses"})
_AGENTS = frozenset({"invoke_agent", "invoke_workflow", "run_agent"})
_AI_SDK = frozenset({"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"})
_AI_SDK_STEPS = ("doGenerate", "doStream")
_PROMPTS = ("gen_ai.prompt", "llm.prompts")
_COMPLETIONS = ("gen_ai.completion", "llm.completions")
_HISTORIES = ("pydantic_ai.all_messages", "all_messages_events")
_TEXTS = ("ai.response.text", "ai.response.object", "ai.result.text", "ai.result.object", "final_result")
_EVENTS = "events"  # the events of the conventions of 1.28, as one attribute


def genai_call(span: Span, context: Context, refused: list[Refusal]) -> Call | None:
    """The call that a span tells of; None where it is a step of another kind, or no assistant's."""
    kind = _kind(span.attributes)
    if kind == "call":
        sent = read_input(span, refused)
        return make_call(span, context, refused, input=sent, output=first_choice(read_output(span, refused)))
    if kind not in ("agent", "workflow"):
        return None
    root = span.parent_id is None
    sent, came = (read_input(span, refused), read_output(span, refused)) if root else (None, None)
    return enclosing_call(span, context, refused, sent=sent, came=came, answers=kind == "agent")


def _kind(a: Attributes) -> str:
    """`call`; `agent` or `workflow` for what encloses calls; `step` for what else an assistant does; else empty."""
    operation = a.get("gen_ai.operation.name") or a.get("llm.request.type")
    sdk = a.get("ai.operationId")
    loop = a.get("traceloop.span.kind")
    if type(sdk) is str:
        if sdk in _AI_SDK:
            return "agent"
        return "call" if sdk.rpartition(".")[0] in _AI_SDK and sdk.endswith(_AI_SDK_STEPS) else "step"
    if type(operation) is str:
        name = operation.lower()
        return "call" if name in _MODEL_CALLS else "agent" if name in _AGENTS else "step"
    if type(loop) is str:
        return loop if loop in ("agent", "workflow") else "step"
    if "gen_ai.request.model" in a or "gen_ai.input.messages" in a or "gen_ai.prompt.0.role" in a:
        return "call"
    if any(name in a for name in _HISTORIES):
        return "agent"
    return "step" if any(k.startswith(("gen_ai.", "traceloop.", "ai.telemetry.")) for k in a) else ""


def is_genai(a: Attributes) -> bool:
    """Whether attributes are of an assistant, by any of these conventions."""
    return _kind(a) != ""


def read_input(span: Span, refused: list[Refusal]) -> Turns | None:
    """What went in, from wherever it stands first; None where it was not captured."""
    a = span.attributes
    messages = _first_list(a, ("gen_ai.input.messages", "ai.prompt.messages"), refused)
    if messages is None:
        messages = _before_answer(a, refused)
    if messages is None and (events := _events(a, choices=False)) is not None:
        messages = read_turns(events, _EVENTS, refused)
    if messages is None:
        messages = _first_list(a, _PROMPTS, refused, Role.USER)
    if messages is None:
        messages = note_turns(tuple(m for m in span.marks if is_request(m)), refused)
    if messages is None:
        messages = _first_words(a, ("ai.prompt", *_PROMPTS, "traceloop.entity.input"), Role.USER, refused)
    return None if messages is None else _system(a, refused) + messages


def read_output(span: Span, refused: list[Refusal]) -> Turns | None:
    """What came back, from wherever it stands first; None where it was not captured."""
    a = span.attributes
    messages = _first_list(a, ("gen_ai.output.messages",), refused, Role.ASSISTANT)
    if messages is None:
        messages = _said(a)
    if messages is None and (history := _history(a, [])) is not None:  # what is refused in it was, with the input
        messages = after_request(history)
    if messages is None and (events := _events(a, choices=True)) is not None:
        messages = read_turns(events, _EVENTS, refused, Role.ASSISTANT)
    if messages is None:
        messages = _first_list(a, _COMPLETIONS, refused, Role.ASSISTANT)
    if messages is None:
        messages = note_turns(tuple(m for m in span.marks if is_answer(m)), refused)
    if messages is None:
        messages = _first_words(a, (*_COMPLETIONS, "traceloop.entity.output"), Role.ASSISTANT, refused)
    return messages


def _first_list(
    a: Attributes, names: tuple[str, ...], refused: list[Refusal], role: Role | None = None
) -> Turns | None:
    for name in names:
        if (messages := listed(a, name)) is not None:
            return read_turns(messages, name, refused, role)
    return None


def _first_words(a: Attributes, names: tuple[str, ...], role: Role, refused: list[Refusal]) -> Turns | None:
    name = next((n for n in names if n in a), None)
    return None if name is None else read_words(a[name], None, role, name, refused)


def _history(a: Attributes, refused: list[Refusal]) -> Turns | None:
    """All messages of an agent's run, its answer among them."""
    return _first_list(a, _HISTORIES, refused)


def _before_answer(a: Attributes, refused: list[Refusal]) -> Turns | None:
    turns = _history(a, refused)
    return None if turns is None else turns[: len(turns) - len(after_request(turns))]


def _said(a: Attributes) -> Turns | None:
    """The answer, where an attribute is nothing else. Calls of tools alone are an answer without text."""
    text = next((a[n] for n in _TEXTS if type(a.get(n)) is str), None)
    if text is None and "ai.response.toolCalls" not in a and "ai.result.toolCalls" not in a:
        return None
    return (unmasked(Turn(role=Role.ASSISTANT, text=text)),)


def first_choice(turns: Turns | None) -> Turns | None:
    """Of several answers to one request the first: nothing says that the others were shown."""
    return turns[:1] if turns and all(t.role is Role.ASSISTANT for t in turns) else turns


def _events(a: Attributes, *, choices: bool) -> list[object] | None:
    events = listed(a, _EVENTS)
    if events is None or not any(type(e) is dict and "event.name" in e for e in events):
        return None
    return [e for e in events if type(e) is not dict or (e.get("event.name") == "gen_ai.choice") is choices]


def _system(a: Attributes, refused: list[Refusal]) -> Turns:
    try:
        text = content_of(decoded(a.get("gen_ai.system_instructions")), "gen_ai.system_instructions").text
    except Refused as fault:
        refused.append(fault.refusal())
        return ()
    return () if text is None else (unmasked(Turn(role=Role.SYSTEM, text=text)),)
