"""How votes are spelled, in one place for all formats."""

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from pipelines.readers.fields import Refused
from schemas.enums import EventKind
from schemas.reasons import Reason

Declared = Mapping[str, EventKind | None]

_UP = (
    "thumbsup thumbup thumb-up up upvote upvoted voteup like liked positive good great helpful useful satisfied true"
    " 赞 点赞 點贊 顶 喜欢 喜歡 满意 滿意 好评 好評 有用 有帮助 有幫助 👍"
)
_DOWN = (
    "thumbsdown thumbdown down downvote downvoted votedown dislike disliked negative bad poor unhelpful nothelpful"
    " notuseful unsatisfied dissatisfied notgood false"
    " 踩 点踩 點踩 不喜欢 不喜歡 不满意 不滿意 差评 差評 没用 沒用 没帮助 沒幫助 👎"
)
_CLEAR = (
    "thumbsclear clear cleared remove removed delete deleted undo undone unvote unvoted retract retracted withdrawn"
    " cancel cancelled canceled 取消"
)
_NO_VOTE = "none null nil unset undefined neutral unrated notrated norating novote nofeedback na"
_NOISE = re.compile(r"[\W_\ufe0f]+|[\U0001f3fb-\U0001f3ff]")  # separators, and the skin tones of a hand
_THUMBS = "👍👎"
_SIGNED = re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?", re.ASCII)
_LONGEST = 64


def _spelled(words: str, kind: EventKind | None) -> dict[str, EventKind | None]:
    return {_folded(word): kind for word in words.split()}


def _folded(text: str) -> str:
    """A word without case, width and separators, so that `thumbsUp`, `thumbs-up` and `THUMBS_UP` are one."""
    bare = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c if c in _THUMBS else _NOISE.sub("", c) for c in bare)


_WORDS = {
    **_spelled(_NO_VOTE, None),
    **_spelled(_CLEAR, EventKind.THUMBS_CLEAR),
    **_spelled(_UP, EventKind.THUMBS_UP),
    **_spelled(_DOWN, EventKind.THUMBS_DOWN),
}


def vote(
    value: Any, declared: Declared, field: str = "rating", *, zero: EventKind | None = EventKind.THUMBS_DOWN
) -> EventKind | None:
    """Read a vote.

    What is declared about the source comes first. After it: words for thumbs and likes in any case and with any
    separator, booleans, and the numbers -1, 0 and +1, also as digits. Stars are read only where they are declared,
    since a one of five and a thumb up are the same number.

    Args:
        value: The vote as it was logged.
        declared: Spellings that the source declares (`Source.votes`); a number is looked up as it is written without
            a fraction of zero, a boolean as `true` or `false`, a word first as it stands and then without case and
            separators. None there means no vote.
        field: Its key, for the refusal.
        zero: What the number 0 means: a thumb down where the scale is 0 and 1; a format whose scale is -1, 0, +1
            passes None or `thumbs_clear`.

    Returns:
        What the user did; None where that is no vote (null, an empty word, `none`, `neutral`).

    Raises:
        Refused: It is no word, number or boolean, or lies outside of the scale.
    """
    if value is None:
        return None
    written = _written(value, field)
    if written in declared:
        return declared[written]
    folded = _folded(written) if len(written) <= _LONGEST else ""
    number = _SIGNED.fullmatch(written.strip())
    if number is None:
        for spelling, kind in declared.items():
            if folded and _folded(spelling) == folded:
                return kind
        if not written.strip():
            return None
        if folded in _WORDS:
            return _WORDS[folded]
        raise Refused(Reason.UNKNOWN_VALUE, field)
    plain = _plain(float(number[0]))
    if plain in declared:
        return declared[plain]
    if plain not in ("-1", "0", "1"):
        raise Refused(Reason.UNKNOWN_VALUE, field)
    return {"1": EventKind.THUMBS_UP, "-1": EventKind.THUMBS_DOWN, "0": zero}[plain]


def _written(value: Any, field: str) -> str:
    if type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int or type(value) is float:
        if not (math.isfinite(value) and abs(value) < 1e15):
            raise Refused(Reason.UNKNOWN_VALUE, field)
        return _plain(value)
    raise Refused(Reason.WRONG_TYPE, field)


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)
