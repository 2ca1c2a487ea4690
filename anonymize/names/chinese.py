"""Names in Chinese text, by the LAC model and the rules of Chinese address."""

from collections.abc import Iterable, Iterator, Sequence

from anonymize.names.lac import LacModel
from anonymize.names.lists import lists
from anonymize.names.reader import NameReader, Names
from anonymize.names.segments import Segment, han_segments, prose
from anonymize.names.words_zh import names_of
from anonymize.view import View


class ChineseNameRecognizer(NameReader):
    """Finds people, places and organisations in Chinese text, and Latin names that stand in it.

    Raises:
        AnonymizeError: The model is not installed.
    """

    def __init__(self) -> None:
        super().__init__("zh")

    def load(self) -> None:
        """Load the model."""
        self._model = LacModel()

    def segments(self, view: View) -> Iterable[Segment]:
        """Sentences with a Chinese character."""
        return han_segments(view, prose(view)) if view.has_han else ()

    def read(self, sentences: Sequence[str]) -> Iterator[tuple[str, Names]]:
        """Run the model."""
        for sentence, words in zip(sentences, self._model.run(list(sentences)), strict=True):
            yield sentence, list(names_of(sentence, words, lists()))
