"""Names in Latin script that the words around them announce."""

# ruff: noqa: E501 - patterns and word lists are kept unbroken

from collections.abc import Iterator
from functools import cache

from anonymize.names.lists import lists
from anonymize.names.shape import NOT_FIRST, plausible, trim_name, unknown_words
from anonymize.recognizers.base import GUESSED, SHAPED, Hit, RuleRecognizer, has_any, over_bytes
from anonymize.view import View, is_word

_CAP = r"[A-Z\xC0][A-Za-z\xC0\xE0'-]*\.?"
_NAME = rf"({_CAP}(?: (?:{_CAP}|de|da|van|von|der|den|del|la|bin|al|el|y)){{0,4}})"
_WORD = r"([A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'-]+(?: [A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*){0,3})"

_TITLED = over_bytes(
    rf"(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Rev|Judge|Officer|Nurse|Coach|Aunt|Uncle|Sister|Principal|Sgt|Lt|Capt)\.? {_NAME}"
)
_STATED = over_bytes(
    rf"(?i:my (?:full |real |first |last |given |legal )?name(?: is|'s|:)|name is|names? (?:was|were)|under the name(?: of)?|"
    rf"account name:?|account\? user:|signed,?|yours truly,?|contact(?: person)?:?|attn:?|attention:?|c/o|care of|"
    rf"on behalf of|spoke (?:to|with)|met with|talk(?:ed)? to|email(?:ed)? from|written by|regards to|say hi to|"
    rf"cc:?|from:|to:|author:|by:|directed by:|account:|last name\?) {{1,4}}{_NAME}"
)
_INTRODUCED = over_bytes(
    r"(?i:\b(?:i'm|i am|im|my name is|my name's|this is|call me|it's me,?|i,) )([A-Z\xC0][A-Za-z\xC0\xE0'-]+(?: [A-Z\xC0][A-Za-z\xC0\xE0'.-]*){0,3})"
)
_ONE = over_bytes(
    r"\b([A-Z\xC0][A-Za-z\xC0\xE0'-]{1,20}?)(?: (?:said|told|asked|shouted|replied|whispered|texted|emailed|smiled|nodded|laughed|lives|invited|"
    r"complained|is from|was born|had given|is my|insists|yelled|wants me|messaged)\b|'s (?:handwriting|birthday|wife|husband|kid|kids|son|daughter|mom|"
    r"dad|mother|father|house|phone|email|number|boss|killers|brother|sister|friend|funeral|wedding|party)\b|, (?:can|could|please|would you|are you) )"
)
_LOWER_STATED = over_bytes(
    rf"(?i)(?:my name is|my name's|i am called|people call me|call me|her name is|his name is|their name is|name's) {_WORD}"
)
_KIN = over_bytes(
    r"(?i:(?:my|his|her|our|their|your)(?: \w+)? (?:wife|husband|spouse|partner|fianc[e\xE0]e?|girlfriend|boyfriend|ex|mother|mom|mum|father|dad|"
    r"brother|sister|son|daughter|kid|child|baby|twin|cousin|uncle|aunt|grandma|grandpa|grandmother|grandfather|nephew|niece|friend|"
    r"bestie|roommate|flatmate|neighbou?r|boss|manager|supervisor|coworker|co-worker|colleague|teammate|mentor|student|teacher|tutor|"
    r"landlord|landlady|tenant|client|doctor|dentist|therapist|lawyer|nanny|assistant|crush|stepdad|stepmom|godson|fiance))"
    rf"(?:'s name is|,| is| called| named|:)? {_NAME}"
)
_FIELD = over_bytes(
    r"(?im)(?:^|[\s|*\"'{,(>-])(?:full |first |last |given |family |sur|maiden |middle |customer |patient |client |contact |account |user |"
    r"employee |student |applicant |cardholder |card holder |holder |recipient |sender |parent |guest |author |tenant |landlord |billing )?"
    r"(?:name|surname|patient|applicant|tenant|landlord|cardholder|recipient|contact|attn|first|last|signed|pt|employee|beneficiary)"
    r"(?:\*\*)?[\"']? ?[:=](?:\*\*)? {0,8}[\"']?([A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*(?:,? [A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*){0,4})"
)
_GREETING = over_bytes(
    rf"(?m)(?:^|[\"(\n]|\. )(?i:hi|hello|hey|dear|good morning|good afternoon|good evening|thanks|thank you|congratulations|happy birthday)(?: again)?,? {_NAME}(?:[,!.:\x80-]|\s*$)"
)
_SIGNED = over_bytes(
    rf"(?i:regards|best|best wishes|sincerely|thanks|thank you|cheers|yours|love|respectfully|warmly|cordially|xo|many thanks|all the best)"
    rf"[ A-Za-z\xC0\xE0]{{0,20}}[,.!]?\s{{0,3}}\n\s{{0,4}}(?:[~*\x80-]{{0,3}} ?)?{_NAME}\s{{0,3}}(?:\n|$|\[|<|\|)"
)
_L = r"A-Za-z\xC0\xE0"
_WITH_GIVEN = over_bytes(rf"(?:^|[^{_L}0-9_@./#-])([A-Z\xC0][{_L}'-]+(?: (?:[A-Z\xC0][{_L}'-]+|[A-Z\xC0]\.?)){{0,3}})")
# Two capitalised words or more, none of them known, before or after what people do or have.
_SEVERAL = rf"([A-Z\xC0][{_L}'-]+(?: (?:[A-Z\xC0][{_L}'-]+|[A-Z\xC0]\.?|ten|van|von|de|da|del|der|bin|al)){{1,4}})"
_DOES = over_bytes(
    rf"{_SEVERAL}(?:'s|,? (?:is|was|has|had|will|would|says?|said|told|asks?|asked|lives?|lived|works?|worked|wrote|writes|calls?|called|shouted|"
    r"replied|explained|listed|from|spent|gave|sent|joined|moved|wants?|thinks?|likes?|loves?|went|came|met|left|needs|just|and I|who|aged|born|"
    r"cannot|can't|didn't|doesn't|won't|can|could|should|may|never|always|also))\b"
)
_DONE_TO = over_bytes(
    r"(?i:\b(?:by|with|under|to|add|for|from|via|cc|and|producer|singer|songwriter|artist|actor|author|director|designer|photographer|tell|told|ask|asked|"
    r"meet|met|call|called|invite|remove|contact|wife|husband|friend|between|about|of|is|was|named|a|the)"
    rf" {{1,3}}){_SEVERAL}"
)
_LINE = over_bytes(rf"(?m)^[> ]{{0,3}}{_SEVERAL}[ ,]*$")
_LOWER = r"([a-z][a-z'-]{2,14})"
_LOWER_KIN = over_bytes(
    r"(?i:\b(?:my|his|her|our|their) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|brother|sister|son|daughter|cousin|"
    rf"friend|roommate|boss|manager|coworker|colleague|teacher|landlord|neighbor|neighbour|uncle|aunt)(?: named| called|,| is)?) {_LOWER}\b"
)
_LOWER_TOLD = over_bytes(
    rf"(?:^|[^{_L}0-9_@./#-])(?:(?i:with|to|from|told|asked|tell|ask|between|called|meet|met|call|text|texted|email|under|leave|and|me|of|hi|dear|hey|is|that|now|basically),? )?"
    rf"([a-z][a-z'-]{{3,14}}(?: [a-z'-]{{4,15}})?)(?: (?:told|said|says|asked|likes|loves|hates|lives|is mad|was mad|thinks|wants|in a couple|won't|called|texted|and|has been|in|on|four)|'s|,|\.|\?|!|$)"
)
_LOWER_TITLED = over_bytes(rf"(?i:\b(?:mr|mrs|ms|dr|prof)\.? ){_LOWER}\b")
_NAMED_AS = over_bytes(
    rf"(?i:\b(?:surname|given names?|first name|last name|family name|maiden name|full name|nickname)(?: is|:|,)? )([A-Z\xC0][{_L}'-]+(?: [A-Z\xC0][{_L}'-]+){{0,3}})"
)


class NameCueRecognizer(RuleRecognizer):
    """Finds people by what introduces them: titles, kinship, greetings, signatures, fields, and common given names."""

    ENTITIES = ("PERSON",)

    def find(self, view: View) -> Iterator[Hit]:
        """Yield names."""
        for pattern, cues, score in _RULES:
            if cues and not has_any(view, cues):
                continue
            for match in pattern.finditer(view.skeleton):
                first = view.skeleton[match.start() - 1] if match.start() else 32
                if is_word(first) and is_word(view.skeleton[match.start()]):
                    continue
                yield from self._accept(view, match.span(1), score, pattern in _SURE)
        yield from self._given(view)
        yield from self._several(view)
        yield from self._lower(view)

    def _accept(self, view: View, span: tuple[int, int], score: float, sure: bool) -> Iterator[Hit]:
        start, end = trim_name(view.text, *span)
        if end - start > 1 and plausible(view.text[start:end], sure=sure):
            yield Hit(start, end, score, "PERSON")

    def _several(self, view: View) -> Iterator[Hit]:
        """Yield unknown capitalised words in a row that act, are acted on, or make up a line of a letter head."""
        rules = [_DOES, _DONE_TO]
        if len(view.text) < _LETTER and (view.has_digit or "@" in view.text):
            rules.append(_LINE)
        for pattern in rules:
            for match in pattern.finditer(view.skeleton):
                start, end = trim_name(view.text, *match.span(1))
                first = view.skeleton[match.start(1) - 1] if match.start(1) else 32
                if not is_word(first) and first not in b"@#/." and unknown_words(view.text[start:end]):
                    yield Hit(start, end, GUESSED - 0.1, "PERSON")

    def _lower(self, view: View) -> Iterator[Hit]:
        """Yield names in small letters: common given names in speech, and unknown words after kin or a title."""
        known = lists()
        for pattern, cues in (
            (_LOWER_KIN, ("my ", "his ", "her ", "our ", "their ")),
            (_LOWER_TITLED, ("mr", "ms", "dr", "prof")),
        ):
            if has_any(view, cues):
                for match in pattern.finditer(view.skeleton):
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
        for match in _LOWER_TOLD.finditer(view.skeleton):
            words = view.text[match.start(1) : match.end(1)].split(" ")
            if words[0] not in _lower_given():
                continue
            if len(words) > 1 and (words[1] in known.common or words[1] in _SPEECH or words[1] in NOT_FIRST):
                words.pop()
            yield Hit(match.start(1), match.start(1) + len(" ".join(words).removesuffix("'s")), GUESSED, "PERSON")

    def _given(self, view: View) -> Iterator[Hit]:
        """Yield common given names written with a capital, with the family names after them."""
        known = lists()
        if not any(c.isupper() for c in view.text):
            return
        for match in _WITH_GIVEN.finditer(view.skeleton):
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


_RULES = (
    (
        _TITLED,
        (
            "mr",
            "ms",
            "miss",
            "dr",
            "prof",
            "judge",
            "aunt",
            "uncle",
            "nurse",
            "coach",
            "officer",
            "rev",
            "sister",
            "principal",
            "sgt",
            "lt",
            "capt",
        ),
        SHAPED,
    ),
    (_STATED, (), SHAPED - 0.1),
    (_INTRODUCED, ("i'm", "im ", "i am", "name", "this is", "call me", "it's me", "i,"), SHAPED - 0.1),
    (_ONE, (), SHAPED - 0.15),
    (_LOWER_STATED, ("name", "call me", "called"), SHAPED - 0.05),
    (_KIN, ("my ", "his ", "her ", "our ", "their ", "your "), SHAPED - 0.1),
    (_FIELD, (":", "=", "："), SHAPED - 0.02),
    (_GREETING, ("hi", "hello", "hey", "dear", "good", "thank", "congrat", "birthday"), SHAPED - 0.1),
    (_SIGNED, ("\n",), SHAPED - 0.1),
    (_NAMED_AS, ("name", "surname"), SHAPED - 0.1),
)


_SURE = (_TITLED, _KIN, _FIELD, _GREETING, _NAMED_AS, _INTRODUCED, _ONE)
_LETTER = 1200
# Verbs and other small words that follow a word for kin: "my wife cooks".
_SPEECH = frozenset(
    [
        "told",
        "said",
        "says",
        "asked",
        "likes",
        "loves",
        "hates",
        "lives",
        "thinks",
        "wants",
        "got",
        "gets",
        "keeps",
        "came",
        "comes",
        "went",
        "goes",
        "wont",
        "dont",
        "doesnt",
        "didnt",
        "isnt",
        "cooks",
        "drives",
        "moved",
        "died",
        "passed",
        "left",
        "loves",
        "who",
        "whose",
        "which",
        "turned",
        "turns",
        "insists",
        "refuses",
        "believes",
        "bought",
        "sent",
        "gave",
        "made",
        "works",
        "worked",
        "hates",
        "was",
        "were",
        "has",
        "had",
        "did",
        "does",
        "never",
        "always",
        "keeps",
        "tells",
        "broke",
        "found",
        "saw",
        "knows",
        "knew",
        "feels",
        "felt",
        "seems",
        "started",
        "stopped",
        "tried",
        "tries",
        "lost",
        "met",
        "forgot",
        "told",
        "suffers",
        "speaks",
        "snores",
        "complains",
        "complained",
        "lied",
        "cheated",
        "sleeps",
        "eats",
        "drinks",
        "owes",
        "too",
        "very",
        "really",
        "just",
        "finally",
        "recently",
        "named",
        "called",
        "aged",
        "about",
        "over",
        "after",
        "before",
        "while",
        "since",
        "until",
        "without",
    ]
)


@cache
def _lower_given() -> frozenset[str]:
    """Given names that are names even in small letters: no ordinary words, and not short."""
    known = lists()
    return frozenset(n for n in known.given if len(n) > 3 and n not in known.words and n not in known.not_names)
