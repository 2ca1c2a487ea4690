"""The command line tool `llm`: its database of logs, and what `llm logs --json` prints from it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import TEXT_SIGNALS, Context, Format, Glimpse, Reader, Shape
from pipelines.readers.items import Item
from pipelines.readers.parts import each, numbered
from pipelines.readers.times import Clock
from pipelines.readers.wrapped import embedded_list
from schemas.enums import Role, Signal, Status
from schemas.reasons import Reason
from schemas.records import Message

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TABLES = ("responses", "logs", "log")
_LONGEST_MS = 86_400_000
_PLACES = {Role.SYSTEM: 0, Role.USER: 1, Role.TOOL: 2, Role.ASSISTANT: 3}  # of the parts of one exchange, in `seq`

_FRAGMENTS = (
    "(SELECT json_group_array(content) FROM (SELECT f.content FROM {table} p JOIN fragments f ON f.id = p.fragment_id"
    ' WHERE p.response_id = r.id ORDER BY p."order"))'
)
_ATTACHED = "EXISTS (SELECT 1 FROM prompt_attachments a WHERE a.response_id = r.id) AS attached"
_TOOLS = (
    "(SELECT count(*) FROM tool_calls c WHERE c.response_id = r.id) AS called,"
    " (SELECT json_group_array(output) FROM"
    " (SELECT t.output FROM tool_results t WHERE t.response_id = r.id ORDER BY t.id)) AS tool_outputs"
)
_PLAIN = "r.id, r.model, r.prompt, r.system, r.response, r.conversation_id, r.duration_ms, r.datetime_utc"
_WITH_FRAGMENTS = (
    f"{_PLAIN}, {_ATTACHED}, {_FRAGMENTS.format(table='prompt_fragments')} AS prompt_fragments,"
    f" {_FRAGMENTS.format(table='system_fragments')} AS system_fragments"
)
_LACKING = "NOT EXISTS (SELECT 1 FROM sqlite_master m WHERE m.name = '{table}')"


def _responses(columns: str, lacking: str | None = None) -> str:
    where = f" WHERE {_LACKING.format(table=lacking)}" if lacking else ""
    return f"SELECT {columns} FROM responses r{where} ORDER BY r.id"  # noqa: S608 - constants of this file


# The tables grew with the versions. A statement that asks for more than a database has is passed over, and one that
# asks for less than it has gives nothing, so that exactly one of these gives each response.
_QUERIES = {
    "responses": _responses(f"{_WITH_FRAGMENTS}, {_TOOLS}"),
    "responses_before_tools": _responses(_WITH_FRAGMENTS, "tool_results"),
    "responses_before_fragments": _responses(f"{_PLAIN}, {_ATTACHED}", "prompt_fragments"),
    "responses_before_attachments": _responses(_PLAIN, "prompt_attachments"),
    "logs": "SELECT * FROM logs ORDER BY id",
    "log": "SELECT * FROM log ORDER BY id",
}


def _recognise(glimpse: Glimpse) -> str | None:
    columns = set(glimpse.columns)
    for table in _TABLES:
        needed = {f"{table}.{c}" for c in ("model", "prompt", "response")}
        if columns >= needed and columns & {f"{table}.datetime_utc", f"{table}.timestamp_utc", f"{table}.chat_id"}:
            return f"a table `{table}` with `model`, `prompt` and `response`"
    for record in glimpse.records:
        for r in record[:20] if type(record) is list else [record]:
            if type(r) is dict and r.keys() >= {"model", "prompt", "response", "datetime_utc"}:
                return "records hold `model`, `prompt`, `response` and `datetime_utc`"
    return None


def _reader(context: Context) -> Reader:
    # The name of the column states the zone, which its values leave out.
    clock = Clock(context.clock.latest, UTC)

    def read(record: Any, flags: tuple[str, ...]) -> Iterator[Item]:
        def items(r: Any) -> Iterator[Item]:
            yield from _exchange(fields.as_object(r, "responses"), context, clock, flags)

        yield from each(numbered(record) if type(record) is list else [("", record)], items)

    return read


def _exchange(r: Record, context: Context, clock: Clock, flags: tuple[str, ...]) -> Iterator[Item]:
    if "prompt" not in r and "response" not in r:
        raise Refused(Reason.MISSING_KEY, "prompt")
    row = fields.any_id(r, "id")
    earliest = "reply_to_id" in r or "chat_id" in r
    # Before there were conversations, each row named the first row of its chat.
    named = f"chat:{fields.optional_any_id(r, 'chat_id') or row}" if earliest else None
    row = f"chat:{row}" if earliest else row
    conversation = named or fields.optional_id(r, "conversation_id") or row
    asked, ended = _times(r, clock)
    order = (
        None if asked is None and ended is None else ((asked or ended or _EPOCH) - _EPOCH) // timedelta(milliseconds=1)
    )
    text, answer = _joined(r, "prompt_fragments", "prompt", "\n"), fields.text(r, "response")
    outputs = [o for o in embedded_list(r, "tool_outputs") if type(o) is str]
    attached = bool(r.get("attached")) or bool(r.get("attachments"))

    def message(role: Role, said: str | None, suffix: str, **more: Any) -> Message:
        return Message(
            source=context.name,
            conversation_id=conversation,
            message_id=f"{row}{suffix}",
            seq=None if order is None else order * len(_PLACES) + _PLACES[role],
            role=role,
            content=said,
            flags=flags,
            **more,
        )

    system = _joined(r, "system_fragments", "system", "\n\n")
    if system:
        yield message(Role.SYSTEM, system, ":system", created_at=asked)
    if text or attached:
        yield message(Role.USER, text or None, ":prompt", created_at=asked, has_attachment=attached)
    if outputs:
        yield message(Role.TOOL, "\n\n".join(outputs), ":tools", created_at=asked)
    called = bool(r.get("called")) or bool(r.get("tool_calls"))
    yield message(
        Role.ASSISTANT,
        None if called and not answer else answer,
        "",
        created_at=asked,
        completed_at=ended,
        status=Status.ERROR if answer is None and not called else Status.OK,
        model=fields.optional_id(r, "model"),
    )


def _times(r: Record, clock: Clock) -> tuple[datetime | None, datetime | None]:
    """When the prompt was sent and when the response was whole.

    The database keeps the beginning and the milliseconds that it took. The first versions kept the end.
    """
    key = next((k for k in ("datetime_utc", "timestamp_utc", "timestamp") if r.get(k)), None)
    kept = None if key is None else fields.time(r, key, clock)
    took = r.get("duration_ms")
    lasted = timedelta(milliseconds=took) if type(took) is int and 0 < took < _LONGEST_MS else None
    if kept is None or key != "datetime_utc":
        return (None if kept is None or lasted is None else kept - lasted), kept
    return kept, None if lasted is None else kept + lasted


def _joined(r: Record, fragments: str, key: str, between: str) -> str:
    """A prompt with the fragments that came before it: files and pages that the user put there."""
    texts = []
    for part in embedded_list(r, fragments):
        text = part.get("content") if type(part) is dict else part
        texts += [text] if type(text) is str else []
    return between.join(t for t in (*texts, fields.text(r, key)) if t)


LLM = Format(
    name="llm",
    title="llm (command line)",
    seen="0.1 to 0.28: `logs.db` with the tables `log`, `logs` or `responses`, and `llm logs --json`",
    shapes=frozenset({Shape.DATABASE, Shape.DOCUMENT, Shape.LINES}),
    recognise=_recognise,
    reader=_reader,
    user_time="sent: `datetime_utc`, when the response began",
    reply_time="begun: `datetime_utc`, before the first token; last token: `duration_ms` after it",
    conversation="`conversation_id`; `chat_id` before there were conversations",
    queries=_QUERIES,
    finds={**TEXT_SIGNALS, Signal.SKIM: "`datetime_utc`, `duration_ms`"},
    notes=(
        "Fragments (files and pages named with the prompt) stand before the prompt, as the model was given them.",
        "A response without a prompt continues after a tool call and has no request of its own.",
        "What failed is mostly not logged; a response of null is one that failed.",
        "The database names no user.",
    ),
)
