"""Names in Latin script, by a spaCy model."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from spacy.attrs import IDS, IS_SPACE, LANG

from anonymize.names.biluo import Decoder
from anonymize.names.filters import keep_person, kind_of_number, organization_score, place_score
from anonymize.names.products import one_thread, with_blas
from anonymize.names.reader import NameReader, Names
from anonymize.names.segments import Segment, latin_segments, prose
from anonymize.recognizers.base import GUESSED
from anonymize.view import View
from schemas.errors import AnonymizeError

# Loaded for nothing else: what names need is the entity component, and what it listens to.
_UNUSED = ("tagger", "parser", "lemmatizer", "attribute_ruler", "senter")
_LABELS = {"PERSON": "PERSON", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION", "ORG": "ORGANIZATION"}
_BATCH = 256
# Strings that a model has seen stay in its store: after this many segments, or at the end of a call, the zone is
# closed and they are let go.
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
        self._zone, self._in_zone = ExitStack(), 0
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
        # A network that the entity component does not listen to would run for nothing.
        for name, component in list(self._nlp.pipeline):
            if name != "ner" and "ner" not in getattr(component, "listening_components", ["ner"]):
                self._nlp.remove_pipe(name)
        self._spare_attributes()
        self._decoder: Decoder | None = None
        if self._nlp.pipe_names == ["ner"]:
            try:
                self._decoder = Decoder(self._nlp.get_pipe("ner"))
                with_blas(self._nlp.get_pipe("ner").model)
            except ValueError:
                self._decoder = None  # spaCy runs a model of another architecture itself

    def _spare_attributes(self) -> None:
        """Let the vocabulary work out of a new word only what the network and the decisions look at."""
        if self._nlp.pipe_names != ["ner"]:
            return
        columns = {c for layer in self._nlp.get_pipe("ner").model.walk() for c in layer.attrs.get("columns", ())}
        kept = {IDS[str(c)] for c in columns if str(c) in IDS} | {IS_SPACE, LANG}
        getters = self._nlp.vocab.lex_attr_getters
        for spared in set(getters) - kept if columns else ():
            del getters[spared]

    def segments(self, view: View) -> Iterable[Segment]:
        """Sentences in Latin script."""
        return latin_segments(view, prose(view))

    def read(self, sentences: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Run the model, zone by zone."""
        for low in range(0, len(sentences), _ZONE):
            part = sentences[low : low + _ZONE]
            if self._in_zone + len(part) > _ZONE:
                self._leave_zone()
            if not self._in_zone:
                self._zone.enter_context(self._nlp.memory_zone())
            self._in_zone += len(part)
            for sentence, found in zip(part, self._entities(part), strict=True):
                yield sentence, list(_names(sentence, found))

    def forget(self) -> None:
        """Let go of the sentences, and of the model's words of them: a second look at a text meets the same words."""
        super().forget()
        self._leave_zone()

    def _leave_zone(self) -> None:
        self._zone.close()
        self._in_zone = 0

    def _entities(self, sentences: Sequence[str]) -> Iterator[list[tuple[int, int, str]]]:
        """The model's names of each sentence, in characters, with its own labels."""
        for low in range(0, len(sentences), _BATCH):
            part = sentences[low : low + _BATCH]
            if self._decoder is None:
                for doc in self._nlp.pipe(part, batch_size=_BATCH):
                    yield [(e.start_char, e.end_char, e.label_) for e in doc.ents]
                continue
            docs = [self._nlp.make_doc(sentence) for sentence in part]
            with one_thread():
                named = list(self._decoder.entities(docs))
            for doc, found in zip(docs, named, strict=True):
                yield [(doc[e.start].idx, doc[e.end - 1].idx + len(doc[e.end - 1]), e.label) for e in found]


def _names(sentence: str, found: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str, float]]:
    """Those of the model's names that are believed, with their scores."""
    for start, end, label in found:
        entity = _LABELS.get(label)
        name = weighed(sentence, start, end, entity) if entity is not None else None
        if name is not None:
            yield name


def weighed(sentence: str, start: int, end: int, entity: str) -> tuple[int, int, str, float] | None:
    """A model's finding in Latin script, trimmed, with its score; None where it is not believed."""
    start, end, entity = _trim(sentence, start, end, entity)
    if end <= start or kind_of_number(sentence, start, end):
        return None
    score = _score(entity, sentence, start, end)
    return (start, end, entity, score) if score is not None else None


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
