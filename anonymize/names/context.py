"""Latin names that their place in a text gives away: lists of people, speakers, fields of code, particles."""

import re
from collections.abc import Iterator

from anonymize.names.lists import Lists, lists
from anonymize.names.stopwords import NOT_FIRST
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, is_word

_CAP = r"[A-Z\xC0][A-Za-z\xC0\xE0'-]+"
_PERSONS = rf"{_CAP}(?: (?:[A-Z]\.? )?{_CAP}){{0,2}}"
_TOGETHER = over_bytes(rf"{_PERSONS}(?:, {_PERSONS}){{0,8}},? (?:and|&|or|vs\.?) {_PERSONS}")
_MEMBER = re.compile(rb", | and | & | or | vs\.? |,")
_SPEAKER = over_bytes(rf"(?m)^[> *]{{0,4}}({_CAP}(?: {_CAP})?)(?:\*\*)?:")
_PARTICLE = over_bytes(rf"{_CAP} (?:van|von|ten|der|den|zu|bin|ibn)(?: (?:der|den|de|la))? {_CAP}")
_FIELD = over_bytes(
    r"(?i)[\x22'`]?((?:[a-z_]*[a-z]_)?(?:first|last|full|given|family|middle|sur|maiden|user|customer|client|contact|"
    r"owner|author|display|nick|patient|employee|recipient|sender|student|guest|tenant|holder|account|billing|shipping)?"
    r"[ _-]?(?:name|author|recipient|assignee|attendee|signatory|owner))[\x22'`]?\s?[:=]>?\s?"
    r"[\x22'`]([A-Za-z\xC0\xE0][A-Za-z\xC0\xE0 .'-]{1,40})[\x22'`]"
)
_SURE = re.compile(r"first|last|full|given|family|middle|sur|maiden|contact|patient|recipient|tenant|holder|author")
_PLACEHOLDERS = frozenset(
    [
        "string",
        "text",
        "value",
        "name",
        "first",
        "last",
        "full",
        "your_name",
        "username",
        "none",
        "null",
        "true",
        "false",
        "test",
        "required",
        "unknown",
        "example",
        "foo",
        "bar",
        "admin",
        "root",
        "default",
        "guest",
        "user",
        "anonymous",
        "n/a",
        "firstname",
        "lastname",
        "fullname",
        "int",
        "str",
        "varchar",
        "surname",
        "middle",
    ]
)


class NameContextRecognizer(RuleRecognizer):
    """Finds people by those they stand with, by the lines that they speak, and by the fields that hold them."""

    ENTITIES = ("PERSON",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        known = lists()
        for match in view.matches(_TOGETHER):
            yield from self._together(view, match.start(), match.group(), known)
        if ":" in view.text and "\n" in view.text:
            yield from self._speakers(view, known)
        for match in view.matches(_PARTICLE):
            first = view.text[match.start() : match.end()].split(" ", 1)[0].lower()
            if not known.ordinary(first) and first not in known.places and not _cut(view, match.start()):
                yield Hit.at(match.span(), GUESSED, "PERSON")
        yield from self._fields(view, known)

    def _together(self, view: View, start: int, group: bytes, known: Lists) -> Iterator[Hit]:
        """Yield all of a list of people, where some are known to be people and none is anything else."""
        if _cut(view, start):
            return
        members: list[tuple[int, int]] = []
        at = 0
        for stop in (*_MEMBER.finditer(group), None):
            end = stop.start() if stop else len(group)
            if end > at:
                members.append((start + at, start + end))
            at = stop.end() if stop else end
        values = [view.text[a:b].removesuffix("'s") for a, b in members]
        # A sentence's first word is no part of the first name.
        head = values[0].split(" ")
        while (
            len(head) > 1
            and (head[0].lower() in NOT_FIRST or known.ordinary(head[0].lower()))
            and head[0].lower() not in known.given
        ):
            members[0] = (members[0][0] + len(head[0]) + 1, members[0][1])
            head.pop(0)
        values[0] = " ".join(head)
        if any(v.lower() in known.famous for v in values) or not any(_surely(v, known) for v in values):
            return
        if all(_perhaps(v, known) for v in values):
            for (low, _), value in zip(members, values, strict=True):
                yield Hit(low, low + len(value), GUESSED - 0.1, "PERSON")

    def _speakers(self, view: View, known: Lists) -> Iterator[Hit]:
        """Yield those who speak in turns, where one of them has a known name."""
        spans = [m.span(1) for m in view.matches(_SPEAKER)]
        names = {view.text[a:b] for a, b in spans}
        if not any(_surely(n, known) for n in names):
            return
        for start, end in spans:
            words = view.text[start:end].lower().split(" ")
            if (
                all(not known.ordinary(w) or w in known.given or w in known.words for w in words)
                and words[0] not in NOT_FIRST
            ):
                yield Hit(start, end, GUESSED, "PERSON")

    def _fields(self, view: View, known: Lists) -> Iterator[Hit]:
        """Yield quoted values of fields that hold a name."""
        for match in view.matches(_FIELD):
            start, end = match.span(2)
            value, label = view.text[start:end], match.group(1).decode("latin-1").lower()
            words = [w.strip(".").lower() for w in value.split()]
            if not words or len(words) > 5 or any(w in _PLACEHOLDERS for w in words) or value.lower() in known.famous:
                continue
            named = any(known.named(w) or w in known.words for w in words)
            unknown = sum(not known.ordinary(w) for w in words)
            sure = _SURE.search(label) is not None and (value[0].isupper() or named)
            if (not words[0].startswith("your") and (sure and (named or unknown or len(words) < 3))) or (
                named and unknown and len(words) > 1
            ):
                yield Hit(start, end, SHAPED, "PERSON")


def _cut(view: View, start: int) -> bool:
    return bool(start and (is_word(view.skeleton[start - 1]) or view.skeleton[start - 1] in b"@#/._-"))


def _surely(value: str, known: Lists) -> bool:
    """Whether a value begins with a given name, or is a family name, and is no word, term or place."""
    words = [w.lower().strip(".") for w in value.split()]
    first = words[0]
    if any(known.ordinary(w) for w in words[:1]) or " ".join(words) in known.places or first in known.not_names:
        return False
    return (
        first in known.given
        or (first in known.rare and len(words) > 1)
        or (first in known.family and first not in known.cities and first not in known.famous)
    )


def _perhaps(value: str, known: Lists) -> bool:
    """Whether a value may be somebody's name."""
    words = [w.lower().strip(".") for w in value.split()]
    if " ".join(words) in known.places or words[0] in known.not_names or words[0] in known.famous or value.isupper():
        return False
    listed = all(known.named(w) or w in known.family_words or w in known.words or len(w) == 1 for w in words)
    return listed or not any(known.ordinary(w) or w in known.cities or w in known.places for w in words)
