"""Plants in the logs what real logs hold beside good records: copies, older versions, unknown keys, and damage."""

import io
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from authored import parse
from files import digest_number, put, put_bytes
from timeline import Landed, landed, rfc3339

from schemas.reasons import Reason


class Plants:
    """What `plants.yaml` lists, and the counts of what was planted, by day of arrival.

    Attributes:
        duplicates: Lines sent again within a day.
        superseded: Older versions of a message whose newer one lands on the same day.
        superseded_later: Older versions of a message whose newer one lands on a later day.
        readable: Good records in files that are written here.
        conversations: Conversations that stand only in files that are written here.
    """

    def __init__(self, listed: Mapping[str, Any]) -> None:
        self._listed = listed
        self.duplicates: Counter[str] = Counter()
        self.superseded: Counter[str] = Counter()
        self.superseded_later: Counter[str] = Counter()
        self.readable: Counter[str] = Counter()
        self.conversations = 0
        self._refused: dict[str, Counter[str]] = {}

    @classmethod
    def load(cls, path: Path) -> "Plants":
        """Read the list."""
        return cls(yaml.safe_load(path.read_text(encoding="utf-8")))

    def refused(self, day: str) -> Counter[str]:
        """Number of records and files of a day that belong in quarantine, by reason."""
        return self._refused.get(day, Counter())

    def vary(self, records: Sequence[Landed]) -> list[Landed]:
        """Add unknown keys, copies and older versions.

        Args:
            records: The good records.

        Returns:
            The same records, some with further keys, and the planted ones.

        Raises:
            KeyError: The list names a message that is not there.
        """
        at = {(r.record["conversation_id"], r.record.get("message_id"), r.record["kind"]): r for r in records}
        for plant in self._listed["extra_keys"]:
            key = (plant["conversation"], plant["message"], "message")
            at[key] = replace(at[key], record=at[key].record | plant["keys"])
        varied = [at[k] if (k := _key(r)) in at and r.record["kind"] == "message" else r for r in records]
        for plant in self._listed["duplicates"]:
            again = at[plant["conversation"], plant["message"], "message"]
            varied.append(replace(again, when=again.when + timedelta(seconds=20)))
            self.duplicates[again.day] += 1
        for plant in self._listed["superseded"]:
            newer = at[plant["conversation"], plant["message"], "message"]
            older = _older(newer, plant["keep"], plant.get("arrives"))
            varied.append(older)
            (self.superseded if older.day == newer.day else self.superseded_later)[older.day] += 1
        return varied

    def among(self, day: str, source: str, lines: Sequence[bytes]) -> list[bytes]:
        """Scatter the refused records of a file among its good ones."""
        mixed = list(lines)
        for plant in self._listed["refused"]:
            if str(plant["dt"]) == day and plant["in"] == source:
                line = _spelled(plant)
                mixed.insert(digest_number(line) % (len(mixed) + 1), line)
                self._refuse(day, plant["reason"])
        return mixed

    def write_own_files(self, landing: Path) -> None:
        """Write the files that hold nothing but damage, or end early."""
        for file in self._listed["large"]:
            lines = [_made(plant) for plant in file["records"]]
            put(landing, str(file["dt"]), file["name"], lines)
            for plant in file["records"]:
                self._refuse(str(file["dt"]), plant["reason"])
        for file in self._listed["torn"]:
            self._write_torn(landing, file)
        for file in self._listed["foreign"]:
            put_bytes(landing, str(file["dt"]), file["name"], _word_file(file["text"]))
            self._refuse(str(file["dt"]), Reason.FILE_UNSUPPORTED)

    def _write_torn(self, landing: Path, file: Mapping[str, Any]) -> None:
        day = str(file["dt"])
        lines = [item.line + b"\n" for item in landed(parse(file["conversation"]))]
        whole = b"".join(lines[: file["whole"]])
        packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
        # A flush at a line's end: what lies before the cut is a number of whole records, for every reader.
        data = packer.compress(whole) + packer.flush(zlib.Z_SYNC_FLUSH)
        put_bytes(landing, day, file["name"], data)
        self.readable[day] += file["whole"]
        self.conversations += 1
        self._refuse(day, Reason.FILE_UNREADABLE)

    def _refuse(self, day: str, reason: str) -> None:
        self._refused.setdefault(day, Counter())[str(Reason(reason))] += 1


def _key(item: Landed) -> tuple[str, str | None, str]:
    return item.record["conversation_id"], item.record.get("message_id"), item.record["kind"]


def _older(item: Landed, keep: float, arrives: object) -> Landed:
    """The reply as it stood when only a part of it was written."""
    record = dict(item.record)
    start, end = (datetime.fromisoformat(record[key]) for key in ("created_at", "completed_at"))
    when = start + (end - start) * keep
    content = record["content"][: int(len(record["content"]) * keep)]
    record |= {"content": content, "completed_at": rfc3339(when), "status": "partial"}
    return replace(item, record=record, when=when, day=str(arrives or item.day))


def _spelled(plant: Mapping[str, Any]) -> bytes:
    if "line" in plant:
        return str(plant["line"]).encode(plant.get("encoding", "utf-8"))
    return json.dumps(plant["record"], ensure_ascii=False).encode(plant.get("encoding", "utf-8"))


def _made(plant: Mapping[str, Any]) -> bytes:
    """A record too large or too deep to author by hand."""
    record = dict(plant["record"])
    if "deep" in plant:
        inner = json.dumps(record, ensure_ascii=False)
        return f'{inner[:-1]}, "trace": {"[" * plant["deep"]}{"]" * plant["deep"]}}}'.encode()
    sentence = record["content"]
    record["content"] = (sentence * (plant["chars"] // len(sentence) + 1))[: plant["chars"]]
    return json.dumps(record, ensure_ascii=False).encode()


def _word_file(text: str) -> bytes:
    """A document in a zip container, as word processors save it, with a fixed date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as container:
        entry = zipfile.ZipInfo("word/document.xml", (2026, 11, 3, 12, 0, 0))
        container.writestr(entry, f"<w:document><w:p><w:t>{text}</w:t></w:p></w:document>")
    return buffer.getvalue()
