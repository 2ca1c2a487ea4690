"""Reads one user message as a reaction to the reply before it: the features of the Complain and Dismiss models."""

import math
import re

from signals.text.acts import asks, is_empty_act, is_question
from signals.text.fold import fold, narrow, unstopped
from signals.text.instruct import own_words
from signals.text.lexicon import Phrase, lexicon
from signals.text.spoken_forms import spelled_out, undenied
from signals.text.tokens import tokens

_LETTERS = re.compile(r"[A-Za-z]{2,}")
_CONSTANT = re.compile(r"^[A-Z][A-Z0-9]*_[A-Z0-9_]+$")
_READ = 1500
_OPENING = 200
_CONCEDES = re.compile(
    r"apolog|my mistake|you(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)|sorry (?:for|about)|"
    r"i misunderstood|thank you for (?:pointing|correct|catching)|"
    r"抱歉|对不起|不好意思|(?:您|你)说得对|我的(?:错|失误|疏忽)|我理解错",
    re.IGNORECASE,
)
# Cues of dissatisfaction that mean what they say, however few labelled messages hold any one of them.
STRONG = frozenset({
    "insult", "insult_you", "bad_bot", "useless", "no_sense", "nonsense", "off_topic", "wrong_alone", "wrong",
    "answer_me", "mistake", "bad", "not_satisfied", "im_asking", "asked_first", "not_right", "still", "not_work",
    "carefully", "asked_not", "did_you", "odd", "to_do_with", "error", "pasted_error", "not_quite",
    "from_now", "promised", "confused", "isnt", "going_on",
})  # fmt: skip
# Words of praise, which a denial turns round.
_PRAISE = frozenset({"guards.praise.great", "guards.praise.agree", "guards.praise_zh.great"})
_FILES = ("complain", "dismiss", "guards")
_QUOTATION = re.compile(r"^[\"“「『].*[\"”」』]$", re.DOTALL)


def own(text: str) -> str:
    """The user's own words in a message, at most its first 1,500 characters."""
    return own_words(text)[:_READ]


def said(text: str) -> str:
    """The user's own words, folded, without the full stop at their end: what models read."""
    return unstopped(fold(own(text)))


def _find(name: str, folded: str) -> tuple[Phrase, ...]:
    """Phrases of one lexicon; the guards ask about what the writer wrote, the others about what it comes to."""
    if name != "guards":
        return lexicon(name).find(spelled_out(folded))
    found = lexicon(name).find(folded)
    if not any(phrase.id in _PRAISE for phrase in found):
        return found
    meant = lexicon(name).find(undenied(folded))
    return tuple(phrase for phrase in found if phrase.id not in _PRAISE or phrase in meant)


def phrases(text: str) -> tuple[str, ...]:
    """Ids of the cue phrases in the user's own words, in the order of the lexicons."""
    folded = said(text)
    return tuple(p.id for name in _FILES for p in _find(name, folded))


def answers_no(text: str, reply: str | None) -> bool:
    """Whether a message that begins with a no answers the question which the reply ended with."""
    return asks(reply) and re.match(r"(?:no|nope|nah|not (?:really|yet|at all))\b|不|没", fold(text[:40])) is not None


def conceded(next_reply: str | None) -> bool:
    """Whether the assistant's next reply owns up to a mistake: it read the message as a correction."""
    return bool(next_reply) and _CONCEDES.search((next_reply or "")[:_OPENING]) is not None


def features(text: str) -> dict[str, float]:
    """Read one message.

    Args:
        text: The message as it is stored.

    Returns:
        Feature name to value: the cues found (`cue:` and the phrase id), and the message's form.
    """
    words_of_own = own(text)
    folded = unstopped(fold(words_of_own))
    words = tokens(folded)
    found: dict[str, float] = {}
    negative = 0
    for name in _FILES:
        groups = set()
        for phrase in _find(name, folded):
            found[f"cue:{phrase.id}"] = 1.0
            groups.add(phrase.group)
        negative += len(groups) if name == "complain" else 0
        for group in groups:
            found[f"group:{name}.{group}"] = 1.0
    cues = [name.rsplit(".", 1)[1] for name in found if name.startswith("cue:complain.")]
    found |= {"cued": float(bool(cues)), "cued_strongly": float(not STRONG.isdisjoint(cues))}
    if found.keys() & {"group:complain.sarcasm_en", "group:complain.sarcasm_zh"}:
        # Praise that is part of the mockery is none.
        found = {name: value for name, value in found.items() if "guards.praise" not in name}
    length = len(words)
    found |= {
        "several": float(negative >= 2),
        "many": float(negative >= 3),
        "length": math.log1p(length),
        "long_for_praise": float(length > 12),
        "long": float(length > 60),
        "very_long": float(length > 150),
        "quotation": float(_QUOTATION.match(narrow(text).strip()) is not None),
        "pasted": float(len(words_of_own.strip()) < 0.6 * len(text.strip())),
        "question": float(is_question(folded)),
        "empty": float(is_empty_act(folded)),
        "shout": float(_shouts(words_of_own)),
        "exclaim": float("!" in folded),
        "many_marks": float(bool(re.search(r"[!?]{2,}|\.{3,}", folded))),
        "you": float(bool(re.search(r"\b(?:you|your|u|ur)\b|你|您", folded))),
        "i": float(bool(re.search(r"\b(?:i|my|me|i'm)\b|我", folded))),
        "negation": float(
            bool(
                re.search(
                    r"\b(?:not|no|never|none|nothing)\b|n't\b|\b(?:dont|didnt|doesnt|isnt|cant|wont)\b|不|没|别", folded
                )
            )
        ),
        "lower_question": float(
            folded.startswith(("what", "how", "who", "when", "where", "which", "can you", "could you"))
        ),
        "negative_per_length": negative / math.log(length + 3.0),
    }
    return found


def _shouts(text: str) -> bool:
    """Whether most words are in capitals, constants and abbreviations apart."""
    words = _LETTERS.findall(" ".join(w for w in text.split() if not _CONSTANT.match(w)))
    return len(words) >= 2 and sum(w.isupper() for w in words) >= 0.8 * len(words) and len("".join(words)) >= 8
