"""Calls of spans in the OpenInference conventions."""

from pipelines.readers.chat import Turns
from pipelines.readers.format import Context
from pipelines.readers.items import Call
from pipelines.readers.raw import Refusal
from pipelines.readers.tracing.attributes import Attributes, listed
from pipelines.readers.tracing.call import enclosing_call, make_call
from pipelines.readers.tracing.span import Span
from pipelines.readers.tracing.turns import read_turns, read_words
from schemas.enums import Role

_JUDGES = frozenset({"EVALUATOR", "GUARDRAIL"})
_WRAPPERS = frozenset({"CHAIN", "AGENT"})
KINDS = frozenset({"LLM", "EMBEDDING", "RETRIEVER", "RERANKER", "TOOL", "PROMPT", "UNKNOWN", *_JUDGES, *_WRAPPERS})


def openinference_call(span: Span, context: Context, refused: list[Refusal]) -> Call | None:
    """The call that a span tells of.

    A root chain or agent stands for the calls inside it where its input and output hold words; the run of a judge
    stands for calls that are nobody's conversation.

    Returns:
        It; None where the span is a step of another kind.
    """
    a = span.attributes
    if span.kind == "LLM":
        return make_call(span, context, refused, input=_input(span, refused), output=_output(a, refused))
    if span.kind in _JUDGES and span.parent_id is None:
        return make_call(span, context, refused, input=(), output=(), whole=True)
    if span.kind not in _WRAPPERS:
        return None
    sent = came = None
    if span.parent_id is None:
        sent = _messages(a, "llm.input_messages", refused) or _value(a, "input", Role.USER, refused)
        came = _messages(a, "llm.output_messages", refused) or _value(a, "output", Role.ASSISTANT, refused)
    return enclosing_call(span, context, refused, sent=sent, came=came, answers=span.kind == "AGENT")


def _input(span: Span, refused: list[Refusal]) -> Turns | None:
    """The history; a bare prompt inside a chain was put together by the application, so it is not the user's."""
    a = span.attributes
    turns = _messages(a, "llm.input_messages", refused)
    if turns is not None:
        return turns
    role = Role.USER if span.parent_id is None else Role.SYSTEM
    prompts = listed(a, "llm.prompts")
    if prompts is not None:
        texts = [p.get("prompt.text", p.get("text")) if type(p) is dict else p for p in prompts]
        return read_turns(texts, "llm.prompts", refused, role)
    return _value(a, "input", role, refused)


def _output(a: Attributes, refused: list[Refusal]) -> Turns | None:
    turns = _messages(a, "llm.output_messages", refused)
    return turns if turns is not None else _value(a, "output", Role.ASSISTANT, refused)


def _messages(a: Attributes, name: str, refused: list[Refusal]) -> Turns | None:
    messages = listed(a, name)
    return None if messages is None else read_turns(messages, name, refused)


def _value(a: Attributes, name: str, role: Role, refused: list[Refusal]) -> Turns | None:
    return read_words(a.get(f"{name}.value"), a.get(f"{name}.mime_type"), role, f"{name}.value", refused)
