"""Names in Latin script that the words around them announce."""

from collections.abc import Iterator
from functools import cache

from anonymize.names.cue_patterns import (
    DOES,
    DONE_TO,
    LINE,
    LOWER_KIN,
    LOWER_TITLED,
    LOWER_TOLD,
    NAMED_AS,
    RULES,
    SURE,
    SYLLABLES,
    TITLED,
    WITH_GIVEN,
)
from anonymize.names.lists import lists, word_set
from anonymize.names.shape import plausible, trim_name, unknown_words
from anonymize.names.stopwords import NOT_FIRST
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, RuleRecognizer
from anonymize.view import View, is_word

_LETTER = 1200
# Verbs and other small words that follow a word for kin: "my wife cooks".
_SPEECH = word_set(
    "told said says asked likes loves hates lives thinks wants got gets keeps came comes went goes wont dont "
    "doesnt didnt isnt cooks drives moved died passed left who whose which turned turns insists refuses "
    "believes bought sent gave made works worked was were has had did does never always tells broke found saw "
    "knows knew feels felt seems started stopped tried tries lost met forgot suffers speaks snores complains "
    "complained lied cheated sleeps eats drinks owes too very really just finally recently named called aged "
    "about over after before while since until without"
)


class NameCueRecognizer(RuleRecognizer):
    """Finds people by what introduces them: titles, kinship, greetings, signatures, fields, and common given names."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        for pattern, score in RULES:
            for match in view.matches(pattern):
                first = view.skeleton[match.start() - 1] if match.start() else 32
                if is_word(first) and is_word(view.skeleton[match.start()]):
                    continue
                yield from self._accept(
                    view, match.span(1), score, pattern in SURE, pattern is NAMED_AS, pattern is TITLED
                )
        yield from self._given(view)
        yield from self._syllables(view)
        yield from self._several(view)
        yield from self._lower(view)

    def _accept(
        self, view: View, span: tuple[int, int], score: float, sure: bool, stated: bool, titled: bool
    ) -> Iterator[Hit]:
        start, end = trim_name(view.text, *span)
        if end == start and titled:
            # Behind a title even a word that never stands in a name is one: Dr. May.
            start, end = span[0], span[0] + len(view.text[slice(*span)].split(" ")[0].rstrip(".'-"))
        value = view.text[start:end]
        # Capitals throughout are an acronym, but where the text says that they are a name.
        if stated and value.isupper():
            value = value.title()
        if end - start > 1 and plausible(value, sure=sure):
            yield Hit(start, end, score, "PERSON")

    def _syllables(self, view: View) -> Iterator[Hit]:
        """Yield given names of two syllables with a family name behind them."""
        known = lists()
        for match in view.matches(SYLLABLES):
            given, family = match.group(1).decode("latin-1").lower().split(" ")
            listed = family in known.family or family in known.family_words or family in known.words
            if listed and not all(known.ordinary(part) for part in given.split("-")):
                yield Hit.at(match.span(1), GUESSED, "PERSON")

    def _several(self, view: View) -> Iterator[Hit]:
        """Yield unknown capitalised words in a row that act, are acted on, or make up a line of a letter head."""
        rules = [DOES, DONE_TO]
        if len(view.text) < _LETTER and (view.has_digit or "@" in view.text):
            rules.append(LINE)
        for pattern in rules:
            for match in view.matches(pattern):
                start, end = trim_name(view.text, *match.span(1))
                first = view.skeleton[match.start(1) - 1] if match.start(1) else 32
                if not is_word(first) and first not in b"@#/." and unknown_words(view.text[start:end]):
                    yield Hit(start, end, GUESSED - 0.1, "PERSON")

    def _lower(self, view: View) -> Iterator[Hit]:
        """Yield names in small letters: common given names in speech, and unknown words after kin or a title."""
        known = lists()
        for pattern in (LOWER_KIN, LOWER_TITLED):
            for match in view.matches(pattern):
                word = view.text[match.start(1) : match.end(1)].removesuffix("'s")
                inflected = word.endswith(("ed", "ing", "ly"))
                if (
                    not inflected
                    and word not in known.common
                    and word not in NOT_FIRST
                    and word not in known.not_names
                    and word not in _SPEECH
                ):
                    yield Hit(match.start(1), match.start(1) + len(word), GUESSED, "PERSON")
        told = view.matches(LOWER_TOLD) if not view.words.isdisjoint(_lower_given()) else ()
        for match in told:
            words = view.text[match.start(1) : match.end(1)].split(" ")
            if words[0] not in _lower_given():
                continue
            if len(words) > 1 and (words[1] in known.common or words[1] in _SPEECH or words[1] in NOT_FIRST):
                words.pop()
            yield Hit(match.start(1), match.start(1) + len(" ".join(words).removesuffix("'s")), GUESSED, "PERSON")

    def _given(self, view: View) -> Iterator[Hit]:
        """Yield common given names written with a capital, with the family names after them."""
        known = lists()
        if view.words.isdisjoint(known.given):
            return
        for match in view.matches(WITH_GIVEN):
            value = view.text[match.start(1) : match.end(1)]
            first = value.split()[0].removesuffix("'s")
            lower = first.lower()
            if not first[0].isupper() or lower not in known.given:
                continue
            start, end = trim_name(view.text, *match.span(1))
            more = len(view.text[start:end].split()) > 1
            if lower in known.words and not more:
                continue
            right = view.skeleton[end : end + 2]
            code = right[:1] in (b"(", b"_", b"/", b"=") or (right[:1] == b"." and right[1:].isalnum())
            if not code and plausible(view.text[start:end], sure=True):
                yield Hit(start, end, SHAPED - 0.15, "PERSON")


@cache
def _lower_given() -> frozenset[str]:
    """Given names that are names even in small letters: no ordinary words, and not short."""
    known = lists()
    return frozenset(n for n in known.given if len(n) > 3 and n not in known.words and n not in known.not_names)
