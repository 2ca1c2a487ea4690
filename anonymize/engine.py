"""Runs the recognizers over the items of a call until nothing more is found, and writes the tags."""

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonymize.door import Item, Result
from anonymize.findings import SPREAD_RULE, Trace
from anonymize.keys import PseudonymKey
from anonymize.lookahead import look_ahead
from anonymize.names.famous import famous_spans
from anonymize.names.reader import NameReader
from anonymize.names.spread import SPREAD, Spreader
from anonymize.policy import Policy
from anonymize.recognition import build_recognizers
from anonymize.recognizers.base import CUED, WEAK, RuleRecognizer
from anonymize.spans import Found, Span, outside, overlapping, resolve
from anonymize.tags import KeyedTag, tag_spans
from anonymize.view import SHORT, WRITTEN, View
from schemas.reasons import Reason

# A pass can only mask more, and two or three are the rule. A text that still changes after this many is withheld.
_MOST_PASSES = 12
_SPREAD_SCORE = 0.55
_MANY_NAMES = 100_000  # characters
_SETTINGS = frozenset({"LOCATION", "ORGANIZATION"})
LABEL_SCOPE = "label"
# A label is a term of the product: of its words none is a name, a handle or a plate, whatever it looks like.
_IN_LABELS = frozenset(
    (
        "EMAIL",
        "PHONE",
        "CREDIT_CARD",
        "IBAN",
        "CN_RESIDENT_ID",
        "IP",
        "URL_SECRET",
        "SECRET",
        "PATH_USER",
        "WECHAT",
        "QQ",
    )
)


@dataclass
class _Work:
    """An item under way."""

    scope: str
    text: str
    counts: Counter[str] = field(default_factory=Counter)
    failed: bool = False
    view: View | None = None
    protected: list[tuple[int, int]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    trace: Trace | None = None


class Engine:
    """The recognizers, the resolution of overlaps and the operator, joined.

    Args:
        key: The pseudonym key.
        policy: What to mask.

    Raises:
        AnonymizeError: See `build_recognizers`.
    """

    def __init__(self, key: PseudonymKey, policy: Policy) -> None:
        self._key, self._policy = key, policy
        self._entities = list(policy.masked)
        self._registry = build_recognizers(policy)
        wanted = self._wanted = frozenset(self._entities)
        first = policy.languages[0]
        self._rules = [
            r
            for r in self._registry.recognizers
            if isinstance(r, RuleRecognizer) and r.supported_language == first and wanted & set(r.supported_entities)
        ]
        # Most rules find something in few texts: which need be asked of a text, by the patterns that match in it.
        self._always = [at for at, rule in enumerate(self._rules) if not rule.BY_PATTERNS]
        self._needing: dict[int, list[int]] = defaultdict(list)
        for at, rule in enumerate(self._rules):
            for number in rule.needs if rule.BY_PATTERNS else ():
                self._needing[number].append(at)
        models = [r for r in self._registry.recognizers if isinstance(r, NameReader)]
        self._models = [m for m in models if wanted & set(m.supported_entities)]
        self._operator = KeyedTag()
        self._operator.validate({"key": key, "scope": "", "entity": ""})

    def run(self, items: Sequence[Item], traces: Sequence[Trace] | None = None) -> list[Result]:
        """De-identify distinct items, and take down what was found in each; see `Deidentifier.deidentify`."""
        works = [_Work(item.scope, item.text, failed=len(item.text) > self._policy.max_chars) for item in items]
        for work, trace in zip(works, traces or (), strict=False):
            work.trace = trace
        open_ = [w for w in works if not w.failed]
        # A long text full of names makes a million tuples, which the collector would walk again and again for nothing.
        paused = gc.isenabled() and any(len(w.text) > _MANY_NAMES for w in open_)
        if paused:
            gc.disable()
        try:
            for _ in range(_MOST_PASSES):
                # What a pass leaves unchanged would be left unchanged again.
                open_ = self._pass(open_, works)
                if not open_:
                    break
        finally:
            for model in self._models:
                model.forget()
            if paused:
                gc.enable()
        for work in open_:
            work.failed = True
        return [
            Result(None, {}, Reason.NOT_SCANNED) if w.failed else Result(w.text, dict(sorted(w.counts.items())), None)
            for w in works
        ]

    def mask_label(self, label: str) -> str:
        """Mask the identifiers of a label; see `Deidentifier.mask_labels`."""
        work = _Work(LABEL_SCOPE, label)
        self._attempt(work, _fold)
        self._attempt(work, self._scan_rules)
        work.found = [r for r in work.found if r.score >= CUED and r.entity in _IN_LABELS]
        self._attempt(work, lambda w: self._write(w, resolve(w.text, w.found, w.protected)))
        return self._key.tag(LABEL_SCOPE, "SECRET", label) if work.failed else work.text

    def describe(self) -> dict[str, tuple[str, ...]]:
        """Entity types with the names of the recognizers that serve them."""
        return {
            entity: tuple(
                sorted({str(type(r).__name__) for r in self._registry.recognizers if entity in r.supported_entities})
            )
            for entity in self._entities
        }

    def _pass(self, open_: list[_Work], works: list[_Work]) -> list[_Work]:
        """Scan what is open once, spread the names found, and write tags; returns the items that changed."""
        for work in open_:
            if work.view is None:  # else it was folded when it was written
                self._attempt(work, _fold)
        look_ahead([w.view for w in open_ if w.view is not None and not w.failed])
        for work in open_:
            if not work.failed:
                self._attempt(work, self._scan_rules)
        ready = [w for w in open_ if not w.failed]
        for model in self._models:
            self._scan_names(model, ready)
        spans: dict[int, list[Span]] = {}
        for work in ready:
            resolved = self._attempt(work, _choose)
            if resolved is not None:
                spans[id(work)] = resolved
        changed = self._spread(spans, works)
        for work in changed:
            self._attempt(work, lambda w: self._write(w, spans[id(w)]))
        return [w for w in changed if not w.failed]

    def _attempt(self, work: _Work, act: Callable[[_Work], Any]) -> Any:
        """Do a step on one item. Whatever fails withholds that item and no other."""
        try:
            return act(work)
        except Exception:  # the text is withheld, and its result says so
            work.failed = True
            return None

    def _scan_rules(self, work: _Work) -> None:
        work.found = []
        view = work.view
        if view is None:
            return
        asked: Iterable[int] = range(len(self._rules))
        if view.looked:
            asked = sorted({*self._always, *(at for n in view.seen for at in self._needing.get(n, ()))})
        for at in asked:
            work.found += self._rules[at].scan(view, self._wanted)

    def _scan_names(self, model: Any, ready: list[_Work]) -> None:
        """Run a model over all items; where that fails, over each alone, so that only the culprits are withheld."""
        views = [w.view for w in ready]
        try:
            for work, found in zip(ready, model.analyze_many(views, self._entities), strict=True):
                work.found += found
        except Exception:
            for work in ready:
                found = self._attempt(work, lambda w: model.analyze_many([w.view], self._entities)[0])
                work.found += found or []

    def _spread(self, spans: dict[int, list[Span]], works: list[_Work]) -> list[_Work]:
        """Add to the spans what is found elsewhere in a scope; returns the items that have spans."""
        values: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for work in works:
            for span in spans.get(id(work), ()):
                if span.entity in SPREAD:
                    values[work.scope].add((span.entity, work.text[span.start : span.end]))
        spreaders = {scope: Spreader((e, View.of(v).text) for e, v in found) for scope, found in values.items()}
        changed = []
        for work in works:
            spreader = spreaders.get(work.scope)
            if spreader is not None and not work.failed:
                self._attempt(work, lambda w, s=spreader: self._spread_one(w, s, spans))  # type: ignore[misc]
            if spans.get(id(work)) and not work.failed:
                changed.append(work)
        return changed

    def _spread_one(self, work: _Work, spreader: Spreader, spans: dict[int, list[Span]]) -> None:
        view = work.view
        if view is None:
            return
        places = spreader.find(view)
        if view.index is not None:
            places = {(*view.span(start, end), entity) for start, end, entity in places}
        known = spans.get(id(work), [])
        fresh = places.difference(known)
        if not fresh:
            return
        # A rule may have seen a part of a name that stands elsewhere in full: the longer one is the name. What stands
        # apart from all that is new stays as it is.
        near = {span for start, end, _ in fresh for span in overlapping(known, start, end)}
        hits = [Found(start, end, entity, _SPREAD_SCORE, SPREAD_RULE) for start, end, entity in fresh | (near & places)]
        if work.trace is not None:
            work.found += [Found(*place, _SPREAD_SCORE, SPREAD_RULE) for place in places]
        parts = near.difference(outside(near, hits))
        own = [span for span in known if span not in parts] if parts else known
        beside = {(s.start, s.end) for h in hits for s in overlapping(own, h.start, h.end)}
        tags = {tag for h in hits for tag in overlapping(work.protected, h.start, h.end)}
        spans[id(work)] = sorted(own + resolve(work.text, hits, sorted(beside | tags)))

    def _write(self, work: _Work, spans: list[Span]) -> None:
        """Replace each span by its tag; what is between is copied as it is."""
        text, at = work.text, 0
        parts: list[str] = []
        tags: dict[tuple[str, str], str] = {}
        for start, end, entity in spans:
            known = (entity, text[start:end])
            tag = tags.get(known)
            if tag is None:
                params = {"key": self._key, "scope": work.scope, "entity": entity}
                tag = tags[known] = self._operator.operate(known[1], params)
            parts += text[at:start], tag
            at = end
        work.counts.update(Counter(span.entity for span in spans))
        if work.trace is not None:
            work.trace.note(spans, work.found, parts[1::2])
        work.text, work.found = "".join([*parts, work.text[at:]]), []  # what was found has other places now
        _fold(work)  # others of the scope may be spread into this text later in the call


def _fold(work: _Work) -> None:
    """Look at an item anew."""
    work.protected = tag_spans(work.text)
    work.view = View.of(work.text, work.protected)


def _choose(work: _Work) -> list[Span]:
    """Resolve the findings of an item, less the people of public knowledge."""
    view = work.view
    if view is not None:
        work.found = _in_context(view, work.found)
    if view is not None and any(r.entity == "PERSON" for r in work.found):
        famous = [view.span(*span) for span in famous_spans(view)]
        if famous:
            work.found = outside(work.found, [Found(low, high, "PERSON", 0, "") for low, high in famous])
            work.found += _in_company(work.text, famous, work.found)
    return resolve(work.text, work.found, work.protected)


def _in_context(view: View, found: list[Found]) -> list[Found]:
    """Drop places and bodies that lead to nobody, but in a short text that holds something that does."""
    if all(r.score > WEAK for r in found):
        return found
    named = WRITTEN in view.text or any(r.score > WEAK and r.entity not in _SETTINGS for r in found)
    return found if named and len(view.original) <= SHORT else [r for r in found if r.score > WEAK]


def _in_company(text: str, famous: list[tuple[int, int]], found: list[Found]) -> list[Found]:
    """Famous names in a list with two people whom nobody knows: a namesake, since the famous stand among their like."""
    starts = {r.start: r.end for r in found if r.entity == "PERSON"}
    ends = {r.end: r.start for r in found if r.entity == "PERSON"}
    namesakes = []
    for start, end in famous:
        company, left, right = 0, start, end
        while text[left - 1 : left] == "、" and left - 1 in ends:
            left, company = ends[left - 1], company + 1
        while text[right : right + 1] == "、" and right + 1 in starts:
            right, company = starts[right + 1], company + 1
        if company > 1:
            namesakes.append(Found(start, end, "PERSON", _SPREAD_SCORE, SPREAD_RULE))
    return namesakes
