"""Takes the text out of message content, in the several shapes that sources write it."""

from dataclasses import dataclass
from typing import Any

from pipelines.readers.fields import Refused
from schemas.reasons import Reason

_TEXT_TYPES = frozenset({"text", "input_text", "output_text", "markdown", "audio_transcription"})
_FILE_TYPES = frozenset(
    {
        "image",
        "image_url",
        "input_image",
        "image_asset_pointer",
        "file",
        "input_file",
        "document",
        "audio",
        "input_audio",
        "audio_asset_pointer",
        "video",
        "video_asset_pointer",
        "video_container_asset_pointer",
        "real_time_user_audio_video_asset_pointer",
        "blob",
        "uri",
    }
)


@dataclass(frozen=True, slots=True)
class Content:
    """What a message holds.

    Attributes:
        text: Its text; None where it holds none that was captured.
        has_attachment: An image, a file or a recording came with it.
        other_parts: Parts that are neither (tool calls, reasoning, citations).
    """

    text: str | None
    has_attachment: bool = False
    other_parts: int = 0


def read_content(value: Any, field: str = "content") -> Content:
    """Read content that is a string, one part, or a list of parts.

    Text parts are joined by a blank line. A part whose text is null adds nothing, never the word `None`. Reasoning and
    tool calls are not what the user was shown, and are only counted.

    Args:
        value: The content as it was logged.
        field: Its key, for the refusal.

    Returns:
        The text and what came with it.

    Raises:
        Refused: It is a number, a boolean, or holds one.
    """
    if value is None or type(value) is str:
        return Content(value)
    parts = value if type(value) is list else [value]
    texts: list[str] = []
    files = other = 0
    for part in parts:
        if type(part) is str:
            texts.append(part)
            continue
        if part is None:
            other += 1
            continue
        if type(part) is not dict:
            raise Refused(Reason.WRONG_TYPE, field)
        found, is_file = _part(part)
        texts += [] if found is None else [found]
        files += is_file
        other += found is None and not is_file
    text = "\n\n".join(t for t in texts if t) if texts else None
    return Content(text, files > 0, other)


def _part(part: dict[str, Any]) -> tuple[str | None, bool]:
    kind = next((k for k in (part.get("type"), part.get("content_type")) if k and type(k) is str), None)
    if kind in _FILE_TYPES:
        return None, True
    if kind is None or kind in _TEXT_TYPES:
        for key in ("text", "content", "value"):
            value = part.get(key)
            if type(value) is str:
                return value, False
            if type(value) is dict and type(value.get("value")) is str:  # {"type": "text", "text": {"value": "..."}}
                return value["value"], False
    return None, False
