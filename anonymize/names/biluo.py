"""Takes the decisions of spaCy's entity model, the same as its own loop takes, for many sentences at a time.

The model decides token by token whether a name begins (B), goes on (I), ends (L), is this token alone (U) or is none
(O). Its own loop takes the decisions one at a time, which costs twice what the network before it does. Here all
decisions outside of names, which depend on no earlier one, are taken at once; only names are followed step by step.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from spacy.attrs import IS_SPACE

_FEATURES = 3  # the token, the first token of the open name, the token before
_NEVER = np.float32(-np.inf)
_Floats = npt.NDArray[np.float32]
_Ints = npt.NDArray[np.int64]
_Bools = npt.NDArray[np.bool_]


class Entity(NamedTuple):
    """A name of a document: its tokens, and the model's label."""

    start: int
    end: int
    label: str


class Decoder:
    """The weights of a model's decisions, out of the model.

    Args:
        component: The pipeline's entity component.

    Raises:
        ValueError: The component is of another architecture, so that only spaCy itself can run it.
    """

    def __init__(self, component: Any) -> None:
        model = component.model
        if model.name != "parser_model" or not model.attrs.get("has_upper") or component.cfg.get("beam_width", 1) != 1:
            raise ValueError("not a greedy transition model with an upper layer")
        lower, upper = model.get_ref("lower"), model.get_ref("upper")
        weights = lower.get_param("W")  # features, hidden, pieces, width
        if weights.shape[0] != _FEATURES:
            raise ValueError("another number of features")
        self._tok2vec = model.get_ref("tok2vec")
        self._times = np.matmul
        self._hidden, self._pieces = weights.shape[1:3]
        self._weights = [np.ascontiguousarray(w.reshape(-1, w.shape[-1]).T) for w in weights]
        self._bias = lower.get_param("b").reshape(-1)
        self._pad = lower.get_param("pad").reshape(_FEATURES, -1)
        self._upper, self._upper_bias = np.ascontiguousarray(upper.get_param("W").T), upper.get_param("b")
        names = [component.moves.get_class_name(at) for at in range(component.moves.n_moves)]
        kinds = [name.partition("-")[0] for name in names]
        labels = [name.partition("-")[2] for name in names]
        self._labels = sorted({label for label in labels if label})
        unseen = set(model.attrs["unseen_classes"])
        usable = np.array([at not in unseen for at in range(len(names))])
        self._begins = usable & np.array([k == "B" and bool(label) for k, label in zip(kinds, labels, strict=True)])
        self._units = usable & np.array([k == "U" and bool(label) for k, label in zip(kinds, labels, strict=True)])
        self._outs = usable & np.array([k == "O" for k in kinds])
        number = {label: at for at, label in enumerate(self._labels)}
        self._label_of = np.array([number.get(label, -1) for label in labels])
        at = {name: place for place, name in enumerate(names)}
        if not all(f"{kind}-{label}" in at for kind in "BILU" for label in self._labels) or not self._outs.any():
            raise ValueError("not the actions of a model of names")
        self._goes_on = np.array([at[f"I-{label}"] for label in self._labels])
        self._ends = np.array([at[f"L-{label}"] for label in self._labels])

    def entities(self, docs: Sequence[Any]) -> Iterator[list[Entity]]:
        """Yield the names of each tokenised document, in order."""
        vectors = self._tok2vec.predict(docs)
        lengths = np.array([len(doc) for doc in docs])
        ends = np.cumsum(lengths)
        last = np.zeros(len(vectors), dtype=bool)
        last[ends[lengths > 0] - 1] = True
        blank = np.concatenate([doc.to_array(IS_SPACE).astype(bool) for doc in docs])
        action = self._outside(vectors, last, blank)
        spans = self._several(vectors, action, ends, last)
        inside = np.zeros(len(action), dtype=bool)
        for start, stop, _ in spans:
            inside[start:stop] = True
        alone = np.flatnonzero(self._units[action] & ~inside).tolist()
        spans += [(at, at + 1, int(self._label_of[action[at]])) for at in alone]
        spans.sort()
        at, low = 0, 0
        for end in ends.tolist():
            found = []
            while at < len(spans) and spans[at][0] < end:
                start, stop, label = spans[at]
                found.append(Entity(start - low, stop - low, self._labels[label]))
                at += 1
            yield found
            low = end

    def _scores(self, summed: _Floats) -> _Floats:
        """Scores of the actions, given the sums of the features' contributions, shape (states, hidden x pieces)."""
        pieces = (summed + self._bias).reshape(-1, self._hidden, self._pieces)
        hidden = pieces[:, :, 0]
        for piece in range(1, self._pieces):
            hidden = np.maximum(hidden, pieces[:, :, piece])
        scores: _Floats = self._times(hidden, self._upper) + self._upper_bias
        return scores

    def _outside(self, vectors: _Floats, last: _Bools, blank: _Bools) -> _Ints:
        """The action at each token, as if no name were open there."""
        scores = self._scores(self._times(vectors, self._weights[0]) + (self._pad[1] + self._pad[2]))
        scores[:, ~(self._begins | self._units | self._outs)] = _NEVER
        scores[np.ix_(last | blank, self._begins)] = _NEVER
        scores[np.ix_(blank, self._units)] = _NEVER
        best: _Ints = scores.argmax(axis=1)
        return best

    def _several(self, vectors: _Floats, action: _Ints, ends: _Ints, last: _Bools) -> list[tuple[int, int, int]]:
        """The names of several tokens: of each document the first, then the first behind it, and so on."""
        begins = np.flatnonzero(self._begins[action])
        spans: list[tuple[int, int, int]] = []
        document = np.searchsorted(ends, begins, side="right")
        starts = begins[np.unique(document, return_index=True)[1]]
        while starts.size:
            labels = self._label_of[action[starts]]
            stops = self._follow(vectors, starts, labels, last)
            spans += zip(starts.tolist(), stops.tolist(), labels.tolist(), strict=True)
            # An action inside of a name was never taken: only what begins behind its end counts.
            following = np.append(begins, len(action))[np.searchsorted(begins, stops)]
            own = ends[np.searchsorted(ends, starts, side="right")]
            starts = following[following < own]
        return spans

    def _follow(self, vectors: _Floats, starts: _Ints, labels: _Ints, last: _Bools) -> _Ints:
        """The end of each of the names that begin at `starts`, one in a document."""
        stops, at, names = np.zeros_like(starts), starts + 1, np.arange(len(starts))
        first = self._times(vectors[starts], self._weights[1])
        while names.size:
            here = at[names]
            summed = self._times(vectors[here], self._weights[0]) + self._times(vectors[here - 1], self._weights[2])
            scores, row = self._scores(summed + first[names]), np.arange(len(names))
            on, end = scores[row, self._goes_on[labels[names]]], scores[row, self._ends[labels[names]]]
            closed = (end > on) | last[here]
            stops[names[closed]] = here[closed] + 1
            at[names] += 1
            names = names[~closed]
        return stops
