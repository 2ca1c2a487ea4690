"""Reads a labelled set, runs the detectors over it as a night would, and scores them. Nothing is written."""

import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import polars as pl

from anonymize.door import Deidentifier, Item, Result
from anonymize.keys import PseudonymKey
from pipelines.cross_encoders import load_cross_encoder
from pipelines.encoders import load_encoder
from pipelines.evaluation import score
from pipelines.readers.containers.lines import lines
from pipelines.readers.containers.origin import Origin
from pipelines.readers.landing import context_for
from pipelines.readers.logfile import open_log
from pipelines.readers.raw import RawRecord
from pipelines.readers.sources import load_sources
from pipelines.settings import Settings
from pipelines.settings_groups import detect_settings, link_settings
from pipelines.steps.deidentify import policy_of
from pipelines.steps.door import through_door
from pipelines.steps.read import Gathered, Pieces
from schemas.errors import LandingError
from signals.detect import detect
from signals.link import link
from signals.paces import user_paces
from signals.sources import source_facts


class Label(msgspec.Struct, frozen=True):
    """A reader's label, as the label format states it."""

    conversation_id: str
    message_id: str
    signal: str
    about: str | None = None
    sure: bool = True
    measurable: bool = True


def evaluate_files(
    settings: Settings, gold: Path, labels: Path, *, deidentify: bool
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Score the detectors on a labelled set.

    Args:
        settings: Detectors' settings, encoder, de-identification policy.
        gold: Conversations, in any format that Tacit reads.
        labels: Labels as JSON lines.
        deidentify: Whether the detectors see what they see in production, or the text as it is.

    Returns:
        `pipelines.evaluation.score`'s frame, and counts of what was read.

    Raises:
        LandingError: No reader takes the conversations, or a line of the labels is not a label.
    """
    today = datetime.now(UTC).date()
    key = PseudonymKey(os.urandom(32))
    read = _read(gold, settings, today, key)
    door = Deidentifier(key, policy_of(settings)) if deidentify else _Open()
    clean = through_door(read.versions, door, key, settings.anonymize.scope, today)
    facts = source_facts(clean.messages, clean.events)
    speeds = link_settings(settings.link)
    window = link(clean.messages, clean.events, facts, speeds, user_paces(clean.messages, speeds))
    # Text that was not de-identified must not reach a cache.
    closer = load_cross_encoder(settings.cross_encoder, settings.home, 0)
    found = detect(window, load_encoder(settings.encoder), detect_settings(settings.detect), closer)
    every = _labels(labels)
    labelled = every.join(clean.messages.select("conversation_id").unique(), on="conversation_id", how="semi")
    counts = {
        "messages": clean.messages.height,
        "events": clean.events.height,
        "records refused": len(read.refused) + len(clean.refused),
        "exchanges": found.exchanges.height,
        "labels": labelled.height,
        "labels of conversations that are not in the set": every.height - labelled.height,
        "labels left out as not sure": labelled.height - int(labelled["sure"].sum()),
    }
    return score(found.exchanges, labelled, found.signals), counts


class _Open:
    """A door that stands open, for measuring detectors apart from de-identification. Nothing of it is stored."""

    def deidentify(self, items: Sequence[Item]) -> list[Result]:
        return [Result(item.text, {}, None) for item in items]

    def mask_labels(self, labels: Sequence[str]) -> list[str]:
        return list(labels)


def _read(gold: Path, settings: Settings, today: date, key: PseudonymKey) -> Gathered:
    context = context_for(load_sources(settings.sources_path), gold.name, today, settings.source)
    log = open_log(Origin(gold, gold.name), context, settings.record_limit)
    if isinstance(log, RawRecord):
        raise LandingError(
            f"No reader takes {gold.name}.",
            state="Nothing was evaluated.",
            then=f"`tacit inspect {gold.name}` says what is wrong with it.",
        )
    pieces = Pieces(key)
    for raw in log.records(settings.record_limit):
        for item in log.items(raw):
            pieces.add(item, raw.place(gold.name))
    return pieces.gathered(context.unknown_keys)


def _labels(path: Path) -> pl.DataFrame:
    rows = []
    for raw in lines(Origin(path, path.name), 1 << 20):
        try:
            rows.append(msgspec.json.decode(raw.data, type=Label))
        except msgspec.MsgspecError:
            raise LandingError(
                f"Line {raw.line} of {path.name} is not a label.",
                state="Nothing was evaluated.",
                then="A label is one JSON object with conversation_id, message_id, signal, about and sure.",
            ) from None
    schema = {f: pl.Boolean if f in ("sure", "measurable") else pl.String for f in Label.__struct_fields__}
    return pl.DataFrame([msgspec.structs.asdict(r) for r in rows], schema=schema, orient="row")
