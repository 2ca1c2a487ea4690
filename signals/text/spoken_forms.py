"""Undoes habits of writing that hide what a cue phrase says, and takes out what is said not to be so."""

import re

_BARE = re.compile(
    r"\b(?:(that|this|it|what|there|where|here|he|she|who)(s)|(you|they)(re)|(i)(m|ve)|(you|we|they)(ve)|"
    r"(did|does|do|is|was|are|were|has|have|had|would|should|could|ca|wo|ai)n(t))\b"
)
# A verb or adjective asked about by its own negation: the negative half claims nothing.
_A_NOT_A = re.compile(r"(对|好|行|准|够|像|通|灵|懂|错)(?:不|没)\1|有没有(?:问题|错误?|毛病|漏)|对吧")
# A denial and what it denies: words of degree, and of doubt, may stand between. In Chinese it is not the last part of a
# word (特别), nor denied itself (不是不好), nor a measure of how good something is (好得不行).
_DENIED = re.compile(
    r"(?:\bnot|\bnever|\bhardly|\bcannot|n't)"
    r"(?: (?:think|sure|believe)(?: it'?s?| this| that(?:'s)?| you(?:'re)?)?(?: is| are)?)?"
    r"(?: (?:a|all|an|at|even|exactly|much|particularly|quite|really|so|that|the|too|very))* [a-z]+|"
    r"(?<![得不没无未])(?<!没有|不是)(?:不|没有?|未|(?<![特分区差个])别)(?:是很?|太|很|怎么|那么|够)?"
    r"(?:对|好用?|有?用|有帮助|行|可以|完美|喜欢|满意|明白|懂|清楚|靠谱|厉害|解决|搞定|学到)"
)


def _restored(found: re.Match[str]) -> str:
    first, *rest = [part for part in found.groups() if part is not None]
    ending = rest[0] if rest else ""
    return f"{first}n't" if ending == "t" else f"{first}'{ending}"


def spelled_out(folded: str) -> str:
    """Give contractions their apostrophe back (didnt, thats), and take the negation out of Chinese A-not-A questions.

    Args:
        folded: The result of `signals.text.fold.fold`.

    Returns:
        The text as cue phrases of dissatisfaction expect it. Idempotent.
    """
    return _A_NOT_A.sub("吗", _BARE.sub(_restored, folded))


def undenied(folded: str) -> str:
    """Take out what is denied (not very helpful, 不太满意): words of praise that are left are meant.

    Args:
        folded: The result of `signals.text.fold.fold`.
    """
    return _DENIED.sub(" ", spelled_out(folded))
