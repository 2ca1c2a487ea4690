"""What is read once from each distinct user message, and kept while its conversation is looked at."""

from dataclasses import dataclass

from signals.text.acts import is_empty_act, is_question
from signals.text.fold import bare, fold, unstopped
from signals.text.instruct import Segments, instruction, segments
from signals.text.lexicon import lexicon
from signals.text.slots import kinds_given, letters, negated, slots
from signals.text.tokens import content, tokens

_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class Profile:
    """A user message as the comparison of requests sees it.

    Attributes:
        folded: The whole message, folded.
        asked: Its instruction, folded.
        bare: The same without punctuation.
        words: Tokens of the instruction.
        content: Stems of those that carry meaning.
        slots: Values by kind.
        empty: Whether it asks for nothing (an acknowledgement, a control word, no word at all).
        question: Whether it has the form of a question.
        cues: Groups of `cues/requests.yaml` that occur.
        long: Whether something was left out of `asked`.
        kinds: Which of them have values, as bits (`signals.text.slots.kinds_given`).
        negated: Whether the instruction holds a negation.
        letters: Number of its letters (`signals.text.slots.letters`): equal where one message only puts the words of
            another in another order.
        segments: Sentences and lines of the whole message; None where it is too short to hold pasted material.
    """

    folded: str
    asked: str
    bare: str
    words: tuple[str, ...]
    content: frozenset[str]
    slots: dict[str, frozenset[str]]
    empty: bool
    question: bool
    cues: frozenset[str]
    long: bool
    kinds: int
    negated: bool
    letters: int
    segments: Segments | None


def profile(text: str) -> Profile:
    """Read a message.

    Args:
        text: The message as it is stored.

    Returns:
        Its profile.
    """
    folded = fold(text)
    asked = unstopped(fold(instruction(text))[:_LONGEST])
    return read(folded, asked)


def read(folded: str, asked: str) -> Profile:
    """Read an instruction that is already cut out.

    Args:
        folded: The whole message, folded.
        asked: The part to read, folded.

    Returns:
        Its profile.
    """
    words, given = tuple(tokens(asked)), slots(asked)
    return Profile(
        folded=folded,
        asked=asked,
        bare=bare(asked),
        words=words,
        content=frozenset(content(list(words))),
        slots=given,
        empty=is_empty_act(asked),
        question=is_question(asked),
        cues=lexicon("requests").groups(asked),
        long=len(asked) < len(folded),
        kinds=kinds_given(given),
        negated=negated(asked),
        letters=letters(asked),
        segments=segments(folded),
    )
