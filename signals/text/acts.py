"""What kind of act a message is: an acknowledgement, a control word, a question, an answer to one."""

import re

from signals.text.lexicon import lexicon

_ASKS = re.compile(r"[?？]\s*(?:[\"')*_\]」』]*\s*)$")
_LAST_LINES = 300
_OFFER = re.compile(
    r"\b(?:would you like|do you want|shall i|should i|let me know|can you (?:tell|share|provide|clarify|give)|"
    r"could you (?:please )?(?:tell|share|provide|clarify|give|specify)|"
    r"please (?:provide|share|tell|specify|clarify|paste)|"
    r"which (?:one|of)|what would you)|请(?:告诉|提供|补充|说明|描述|选择|确认|问|发|给出)|您(?:想|要|希望|需要|更)|"
    r"你(?:想|要|希望|需要|更)|要不要|需要我|是否需要|方便(?:说|告诉|提供)|可以(?:告诉|提供|说)",
    re.IGNORECASE,
)


def is_empty_act(folded: str) -> bool:
    """Whether a folded message is only an acknowledgement or a control word, or holds no word at all."""
    if len(folded) > 80:
        return False
    return not re.search(r"\w", folded) or bool(lexicon("acts").find(folded))


def asks(reply: str | None) -> bool:
    """Whether a reply ends by asking the user for something, so that the next message may answer it."""
    if not reply:
        return False
    end = reply[-_LAST_LINES:].rstrip()
    return bool(_ASKS.search(end)) or (bool(_OFFER.search(end)) and len(reply) < 2 * _LAST_LINES)


def is_question(folded: str) -> bool:
    """Whether a folded message asks: by its mark, or by how it begins."""
    return bool(_ASKS.search(folded)) or bool(
        re.match(r"(?:what|who|when|where|why|how|which|is|are|do|does|did|can|could)\b", folded)
        or re.search(r"(?:什么|怎么|怎样|如何|为何|为什么|多少|几|哪|谁|吗|呢|咋|啥)", folded[-12:])
    )
