"""Step `deidentify`: one bucket of a landing day, from raw records to de-identified frames."""

import resource
import sys
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

import msgspec

from anonymize.door import Deidentifier
from anonymize.keys import PseudonymKey, load_key
from anonymize.policy import Policy
from pipelines.faults import without_values
from pipelines.readers.dedupe import Versions
from pipelines.readers.landing import raw_records
from pipelines.readers.native import NativeDecoder
from pipelines.readers.raw import Place, RawRecord, Refusal
from pipelines.settings import Settings
from pipelines.steps.counts import require_balance
from pipelines.steps.door import through_door
from pipelines.steps.results import BucketResult, DayScan
from pipelines.steps.rows import frame
from pipelines.steps.scan import changed
from pipelines.steps.work import write_work
from schemas.ids import bucket_of
from schemas.records import Event, Message


class _Route(msgspec.Struct):
    conversation_id: str


_route = msgspec.json.Decoder(_Route).decode


@without_values
def deidentify_bucket(settings: Settings, scan: DayScan, bucket: int, work: Path) -> BucketResult:
    """Read a landing day, keep one bucket of it, and pass every text through the one door.

    Raw text lives in this function's memory and nowhere else.

    Args:
        settings: The settings of the run.
        scan: The day's input.
        bucket: Which bucket, from 0 to `scan.buckets - 1`.
        work: Folder for the results, under the warehouse.

    Returns:
        Paths and counts. The folder holds `messages.parquet` and `events.parquet` (contract columns and `dt`), and
        `quarantine.parquet`.

    Raises:
        LandingError: The files changed since the scan.
        CountMismatch: Records in are not records out, duplicates and refusals.
        KeyFault: The pseudonym key is missing or weak.
        AnonymizeError: The de-identifier cannot start.
    """
    versions, refused, counts = _read(settings, scan, bucket)
    key = load_key(settings.key_path)
    clean = through_door(versions, _door(key, policy_of(settings)), key, settings.anonymize.scope, scan.day)
    refused += clean.refused
    counts |= {"messages": clean.messages.height, "events": clean.events.height, "quarantined": len(refused)}
    require_balance(f"bucket {bucket} of landing day {scan.day}", counts)
    folder = work / f"dt={scan.day}" / f"bucket-{bucket:04d}"
    write_work(clean.messages, folder / "messages.parquet")
    write_work(clean.events, folder / "events.parquet")
    quarantine = [asdict(place) | {"reason": str(r.reason), "field": r.field} for place, r in refused]
    write_work(frame("quarantine", quarantine), folder / "quarantine.parquet")
    return BucketResult(scan.day, bucket, str(folder), counts, clean.masked, peak_mb())


def peak_mb() -> float:
    """Peak resident memory of this process in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024


def policy_of(settings: Settings) -> Policy:
    """The de-identifier's policy as the settings state it."""
    a = settings.anonymize
    return Policy(mask_organizations=a.mask_organizations, max_chars=a.max_chars, english_model=a.english_model)


@lru_cache(maxsize=1)
def _door(key: PseudonymKey, policy: Policy) -> Deidentifier:
    return Deidentifier(key, policy)


_Refused = list[tuple[Place, Refusal]]


def _read(settings: Settings, scan: DayScan, bucket: int) -> tuple[Versions, _Refused, dict[str, int]]:
    decoder = NativeDecoder(scan.day, settings.source)
    versions, refused = Versions(), []
    records = 0
    for file in scan.files:
        seen = 0
        for raw in raw_records(settings.landing, scan.day, file.file, settings.record_limit):
            seen += 1
            record = _mine(raw, decoder, bucket, scan.buckets)
            if record is None:
                continue
            records += 1
            place = raw.place(file.file)
            if isinstance(record, Message):
                versions.add_message(record, place)
            elif isinstance(record, Event):
                versions.add_event(record, place)
            else:
                refused.append((place, record))
        if seen != file.records:
            raise changed(scan.day)
    counts = {
        "records": records,
        "duplicates": versions.duplicates,
        "superseded": versions.superseded,
        "unknown_keys": decoder.unknown_keys,
    }
    return versions, refused, counts


def _mine(raw: RawRecord, decoder: NativeDecoder, bucket: int, buckets: int) -> Message | Event | Refusal | None:
    """Decode the record if it belongs to this bucket.

    A conversation must not be split, so a record that only the lenient decoder can read is routed by what that reads.
    """
    if raw.refusal:
        key = raw.digest.encode()
        return raw.refusal if bucket_of(key, buckets) == bucket else None
    if buckets == 1:
        return decoder.decode(raw.data)
    try:
        if bucket_of(_route(raw.data).conversation_id.encode(), buckets) != bucket:
            return None
        return decoder.decode(raw.data)
    except (msgspec.MsgspecError, RecursionError):
        ignored = decoder.unknown_keys
        record = decoder.decode(raw.data)
        key = raw.data if isinstance(record, Refusal) else record.conversation_id.encode()
        if bucket_of(key, buckets) == bucket:
            return record
        decoder.unknown_keys = ignored
        return None
