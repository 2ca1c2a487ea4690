"""What a stream of the OpenAI APIs says, from the chunks or the lines that were logged of it."""

from typing import Any

from pipelines.readers.decode import decode_json
from pipelines.readers.fields import Record, Refused

_OF_THE_API = frozenset({"choices", "messages", "input", "prompt", "output", "object", "body", "error", "role"})


def unpacked(value: Any) -> Any:
    """A body that was logged as a string of JSON, or as the lines of a stream, as what it says.

    Any other value is given back as it is: a reply may be JSON that a user asked for.
    """
    if type(value) is not str:
        return value
    text = value.lstrip()
    if text.startswith(("data:", "event:")):
        lines = [line.removeprefix("data:").strip() for line in text.splitlines() if line.startswith("data:")]
        return [_decoded(line) for line in lines if line not in ("", "[DONE]")]
    if not text.startswith(("{", "[")):
        return value
    held = _decoded(text)
    one = held[0] if type(held) is list and held else held
    return held if type(one) is dict and (not one.keys().isdisjoint(_OF_THE_API) or _is_event(one)) else value


def _decoded(text: str) -> Any:
    try:
        return decode_json(text.encode("utf-8", "surrogatepass"))[0]
    except Refused:
        return None


def streamed(chunks: list[Any]) -> Any:
    """The response that the chunks of a stream make up; the list itself where it holds no chunks."""
    parts = [c for c in (unpacked(c) for c in chunks) if type(c) is dict]
    whole = [c["response"] for c in parts if _is_event(c) and type(c.get("response")) is dict]
    if any(r.get("output") for r in whole):
        return next(r for r in reversed(whole) if r.get("output"))
    deltas = [
        c["delta"] for c in parts if c.get("type") == "response.output_text.delta" and type(c.get("delta")) is str
    ]
    if whole or deltas:
        return {**(whole[-1] if whole else {}), "output": None, "output_text": "".join(deltas)}
    if not any(type(c.get("choices")) is list for c in parts):
        return chunks
    said: dict[int, Record] = {}
    for chunk in parts:
        for choice in chunk["choices"] if type(chunk.get("choices")) is list else []:
            if type(choice) is dict:
                _gather(said, choice)
    for one in said.values():
        one["message"] = {k: "".join(v) if type(v) is list else v for k, v in one["message"].items()}
    return {**next(c for c in parts if type(c.get("choices")) is list), "choices": [said[n] for n in sorted(said)]}


def _is_event(chunk: Record) -> bool:
    return type(chunk.get("type")) is str and chunk["type"].startswith("response.")


def _gather(said: dict[int, Record], choice: Record) -> None:
    index = choice.get("index")
    one = said.setdefault(index if type(index) is int else 0, {"message": {}, "finish_reason": None})
    held = choice.get("delta")
    delta: Record = held if type(held) is dict else {"content": choice.get("text")}
    message = one["message"]
    for key in ("content", "refusal"):
        if type(delta.get(key)) is str:
            message.setdefault(key, []).append(delta[key])
    if delta.get("tool_calls") or delta.get("function_call"):
        message["tool_calls"] = True
    one["finish_reason"] = choice.get("finish_reason") or one["finish_reason"]
