"""Step `detect`: exchanges and signals of the event days that a run touches, chunk by chunk."""

from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path

import polars as pl

from pipelines.cross_encoders import CrossEncoderReader, load_cross_encoder
from pipelines.encoders import cached_encoder
from pipelines.faults import without_values
from pipelines.settings import Settings
from pipelines.settings_groups import detect_settings, link_settings
from pipelines.steps.deidentify import peak_mb
from pipelines.steps.feedback import days_reached, events_of, place_loose
from pipelines.steps.overlay import Overlay
from pipelines.steps.parts import divided, within
from pipelines.steps.results import Chunk, ChunkResult
from pipelines.steps.work import write_work
from schemas.enums import Signal
from signals.detect import detect
from signals.encoder import Encoder
from signals.link import link
from signals.paces import user_paces
from signals.sources import source_facts

_CHUNK_MESSAGES = 20_000
_KEY = ("source", "conversation_id")


def days_to_detect(settings: Settings, overlay: Overlay, touched: Iterable[date]) -> list[date]:
    """Event days whose exchanges may differ now.

    A message changes the exchanges of its own day and of the day before, whose last replies it may answer, and those
    of the days that look back on it. A vote changes those of the message that it names, which may lie further back,
    and of the day after, if the message is a step towards a reply after midnight.

    Args:
        settings: Gives the look-back.
        overlay: The tables as they will be.
        touched: Event days whose messages or events changed.

    Returns:
        Those that have messages, and the touched ones, which are published even when empty.
    """
    there, touched, reach = set(overlay.days("messages")), set(touched), settings.lookback_days
    voted, moved = days_reached(overlay, touched, reach)
    days = {t + timedelta(days=n) for t in touched | moved for n in range(-1, reach + 1)}
    days |= {v + timedelta(days=n) for v in voted for n in (0, 1)}
    return sorted((days & there) | touched)


def plan_detection(settings: Settings, overlay: Overlay, days: Iterable[date]) -> list[Chunk]:
    """Divide the conversations of each day into chunks, and set down what no chunk can know by itself.

    Args:
        settings: Gives the look-back.
        overlay: The tables as they will be; facts about the sources, the paces of users, and events that name only a
            message, placed, are written beside them.
        days: Event days.

    Returns:
        Chunks of about 20,000 messages of their day, never splitting a conversation.
    """
    chunks = []
    days = list(days)
    write_work(place_loose(overlay, days, settings.lookback_days), _placed_path(overlay.folder))
    for day in days:
        window = _window(settings, day)
        facts = source_facts(overlay.scan("messages", window), overlay.scan("events", window))
        write_work(facts, _facts_path(overlay.folder, day))
        paces = user_paces(overlay.scan("messages", window), link_settings(settings.link))
        write_work(paces, _paces_path(overlay.folder, day))
        sizes = overlay.scan("messages", [day], _KEY).group_by(_KEY).len().sort(_KEY).collect()
        for number, rows in enumerate(divided(sizes, _CHUNK_MESSAGES)):
            keys = rows.select(_KEY).rows()
            chunks.append(Chunk(day, number, keys[0], keys[-1]))
    return chunks


@without_values
def detect_chunk(settings: Settings, overlay: Overlay, chunk: Chunk) -> ChunkResult:
    """Link the conversations of a chunk and search them for signals.

    Args:
        settings: Look-back, thresholds, encoder.
        overlay: The tables as they will be.
        chunk: Which conversations of which day.

    Returns:
        Paths and counts. The folder holds `exchanges.parquet` and `signals.parquet`, contract columns.

    Raises:
        ConfigError: The configured encoder or cross-encoder is not there, or not what it should be.
    """
    window, ours = _window(settings, chunk.dt), within(chunk.first, chunk.last)
    messages = overlay.scan("messages", window).filter(ours)
    on_the_day = messages.filter(pl.col("dt") == chunk.dt).select(_KEY).unique()
    messages = messages.join(on_the_day, on=_KEY, how="semi")
    said = messages.collect()
    placed = pl.read_parquet(_placed_path(overlay.folder))
    events = events_of(overlay, placed, chunk.dt, ours, said, settings.lookback_days)
    facts = pl.read_parquet(_facts_path(overlay.folder, chunk.dt))
    paces = pl.read_parquet(_paces_path(overlay.folder, chunk.dt))
    linked = link(said, events, facts, link_settings(settings.link), paces)
    encoder = _encoder(settings.encoder, settings.home, settings.embedding_cache_mb)
    closer = _closer(settings.cross_encoder, settings.home, settings.embedding_cache_mb)
    found = detect(linked, encoder, detect_settings(settings.detect), closer)
    exchanges = found.exchanges.filter(pl.col("dt") == chunk.dt).drop("dt")
    signals = found.signals.filter(pl.col("dt") == chunk.dt).drop("dt")
    folder = overlay.folder / "detected" / f"dt={chunk.dt}" / f"chunk-{chunk.number:04d}"
    write_work(exchanges, folder / "exchanges.parquet")
    write_work(signals, folder / "signals.parquet")
    counts = {"exchanges": exchanges.height, "signals": signals.height}
    for signal in Signal:
        counts[f"{signal}"] = int(exchanges[signal].sum())
        counts[f"{signal}_not_measurable"] = exchanges[signal].null_count()
    return ChunkResult(chunk.dt, chunk.number, str(folder), counts, peak_mb())


@lru_cache(maxsize=1)
def _encoder(spec: str, home: Path, megabytes: int) -> Encoder:
    return cached_encoder(spec, home, megabytes)


@lru_cache(maxsize=1)
def _closer(folder: Path | None, home: Path, megabytes: int) -> CrossEncoderReader | None:
    return load_cross_encoder(folder, home, megabytes)


def _window(settings: Settings, day: date) -> list[date]:
    return [day + timedelta(days=n) for n in range(-settings.lookback_days, 2)]


def _facts_path(folder: Path, day: date) -> Path:
    return folder / "facts" / f"dt={day}.parquet"


def _paces_path(folder: Path, day: date) -> Path:
    return folder / "paces" / f"dt={day}.parquet"


def _placed_path(folder: Path) -> Path:
    return folder / "placed.parquet"
