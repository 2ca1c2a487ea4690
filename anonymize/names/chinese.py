"""Names in Chinese text, by the LAC model and the rules of Chinese address."""

from collections.abc import Iterable, Sequence
from typing import Any

from presidio_analyzer import EntityRecognizer, RecognizerResult

from anonymize.names.lac import LacModel
from anonymize.names.lists import lists
from anonymize.names.segments import han_segments, prose
from anonymize.names.words_zh import names_of
from anonymize.recognizers.base import GUESSED
from anonymize.view import View


class ChineseNameRecognizer(EntityRecognizer):
    """Finds people, places and organisations in Chinese text, and Latin names that stand in it.

    Raises:
        AnonymizeError: The model is not installed.
    """

    ENTITIES = ("PERSON", "LOCATION", "ORGANIZATION")

    def __init__(self) -> None:
        self._found: dict[str, list[tuple[int, int, str]]] = {}
        super().__init__(supported_entities=list(self.ENTITIES), name="ChineseNameRecognizer", supported_language="zh")

    def load(self) -> None:
        """Load the model."""
        self._model = LacModel()

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[RecognizerResult]:
        """Find names in one text; see `analyze_many`."""
        view = nlp_artifacts if isinstance(nlp_artifacts, View) else View.of(text)
        return self.analyze_many([view], entities)[0]

    def analyze_many(self, views: Sequence[View], entities: Iterable[str]) -> list[list[RecognizerResult]]:
        """Find names in many texts, reading each distinct sentence once.

        Args:
            views: Folded texts.
            entities: Entity types wanted.

        Returns:
            The findings of each text, in offsets of its original.
        """
        wanted = set(entities)
        places: dict[str, list[tuple[int, int]]] = {}
        for number, view in enumerate(views):
            if view.has_han:
                for segment in han_segments(view, prose(view)):
                    places.setdefault(segment.text, []).append((number, segment.start))
        unread = sorted(s for s in places if s not in self._found)
        for sentence, words in zip(unread, self._model.run(unread), strict=True):
            self._found[sentence] = list(names_of(sentence, words, lists()))
        results: list[list[RecognizerResult]] = [[] for _ in views]
        for sentence, where in places.items():
            for start, end, entity in self._found[sentence]:
                if entity in wanted:
                    for number, offset in where:
                        span = views[number].span(offset + start, offset + end)
                        results[number].append(RecognizerResult(entity, *span, GUESSED))
        return results

    def forget(self) -> None:
        """Let go of the sentences read so far. Until then none is read twice: a text is looked at in several passes."""
        self._found.clear()
