"""Names in Latin script, by a spaCy model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from anonymize.names.filters import keep_person, organization_score, place_score
from anonymize.names.reader import NameReader, Names
from anonymize.names.segments import Segment, latin_segments, prose
from anonymize.recognizers.base import GUESSED
from anonymize.view import View
from schemas.errors import AnonymizeError

_UNUSED = ("tagger", "parser", "lemmatizer", "attribute_ruler", "senter")
_LABELS = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "ORG": "ORGANIZATION"}
_BATCH = 128
# Strings that a model has seen stay in its store: after this many segments the zone is closed and they are let go.
_ZONE = 4096
_EDGE = re.compile(r"^(?:the |a |an |dear |hi |hello |hey |mr\.? |mrs\.? |ms\.? |dr\.? |prof\.? )+", re.IGNORECASE)


class EnglishNameRecognizer(NameReader):
    """Finds people, places and organisations in Latin text.

    Args:
        model: Import name of the spaCy model package.

    Raises:
        AnonymizeError: The model is not installed.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        super().__init__("en")

    def load(self) -> None:
        """Load the model with its entity component only."""
        try:
            self._nlp: Any = import_module(self._model).load(exclude=list(_UNUSED))
        except (ImportError, OSError, AttributeError, ValueError) as fault:
            raise AnonymizeError(
                f"The English model {self._model} cannot be loaded ({type(fault).__name__}).",
                state="Nothing was scanned.",
                then="Install it in the version of requirements.lock, or name another in the settings.",
            ) from None
        if "ner" not in self._nlp.pipe_names:
            raise AnonymizeError(
                f"The English model {self._model} has no entity component.",
                state="Nothing was scanned.",
                then="Name a model that has one in the settings.",
            )

    def segments(self, view: View) -> Iterable[Segment]:
        """Sentences in Latin script."""
        return latin_segments(view, prose(view))

    def read(self, sentences: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Run the model, zone by zone."""
        for low in range(0, len(sentences), _ZONE):
            part = sentences[low : low + _ZONE]
            with self._nlp.memory_zone():
                for sentence, doc in zip(part, self._nlp.pipe(part, batch_size=_BATCH), strict=True):
                    yield sentence, list(_names(sentence, doc))


def _names(sentence: str, doc: Any) -> Iterator[tuple[int, int, str, float]]:
    """The names that the model found and that are believed, with their places in the sentence."""
    for found in doc.ents:
        entity = _LABELS.get(found.label_)
        if entity is not None:
            start, end, entity = _trim(sentence, found.start_char, found.end_char, entity)
            score = _score(entity, sentence, start, end) if end > start else None
            if score is not None:
                yield start, end, entity, score


def _score(entity: str, sentence: str, start: int, end: int) -> float | None:
    """How far to believe a finding; None where not at all."""
    if entity == "PERSON":
        return GUESSED if keep_person(sentence, start, end) else None
    return (place_score if entity == "LOCATION" else organization_score)(sentence, start, end)


def _trim(sentence: str, start: int, end: int, entity: str) -> tuple[int, int, str]:
    """Cut marks, articles and the possessive off a finding."""
    value = sentence[start:end]
    for stop in ("\n", "  ", ":", "(", "|", " - "):
        at = value.find(stop, 1)
        if at > 0:
            value = value[:at]
    head = _EDGE.match(value)
    if head and entity != "ORGANIZATION":
        start += head.end()
        value = value[head.end() :]
    while value and not (value[0].isalnum()):
        start, value = start + 1, value[1:]
    value = value.rstrip()
    for tail in ("'s", "'"):
        value = value.removesuffix(tail)
    while value and not (value[-1].isalnum() or (value[-1] == "." and len(value) > 2 and value[-3] in " .")):
        value = value[:-1]
    return start, start + len(value), entity
