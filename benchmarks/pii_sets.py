"""The texts that the de-identifier is measured on: sets beside the checkout, and texts made from templates."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import NamedTuple

from pii_values import Values

TEMPLATES = Path(__file__).parent / "pii_templates"
_SLOT = re.compile(r"\[\[(\w+)(?::(\w+))?\]\]")
_VALUE = re.compile(r"[\d@!]")
_WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x30, 0x3A)} | {"X": "Ｘ", "-": "－"})


class Row(NamedTuple):
    """A text with the spans that hold personal data, in code points."""

    lang: str
    text: str
    spans: list[tuple[int, int, str]]


def shared_sets(folder: Path) -> tuple[dict[str, list[Row]], list[str]]:
    """Read the sets of a folder.

    Returns:
        The sets by name, and the names of the files that are not there.
    """
    sets, missing = {}, []
    for name, file, read in (
        ("presidio synth", "presidio_synth_dataset_v2.json.gz", _synth),
        ("nano", "pii_syn_nano_en.json", _nano),
        ("chat dev", "chat_pii_dev.jsonl.gz", _chat),
    ):
        path = folder / file
        if path.exists():
            raw = path.read_bytes()
            sets[name] = read((gzip.decompress(raw) if path.suffix == ".gz" else raw).decode())
        else:
            missing.append(file)
    return sets, missing


def generated(templates: str, copies: int, seed: int) -> list[Row]:
    """Fill the templates of a file, each several times.

    Args:
        templates: `tune` or `held_out`.
        copies: How often each template is filled.
        seed: Equal seeds give equal rows.
    """
    values, draw = Values(seed), random.Random(seed)
    rows = []
    lang = ""
    for line in (TEMPLATES / f"{templates}.txt").read_text(encoding="utf-8").splitlines():
        section = re.fullmatch(r"\[(\w+)\]", line)
        if section:
            lang = section.group(1)
        elif line and not line.startswith("#"):
            template = line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
            rows += [_fill(template, lang, values, draw) for _ in range(copies)]
    return rows


def plain() -> list[Row]:
    """Texts without personal data: code, logs, numbers, products and works."""
    parts = (TEMPLATES / "plain.txt").read_text(encoding="utf-8").split("\n---\n")
    return [Row("zh" if re.search(r"[\u4e00-\u9fff]", part) else "en", part, []) for part in parts]


def talk(path: Path, chars: int) -> list[Row]:
    """The messages of conversations in the native format, from the start, up to a number of characters; no spans."""
    rows, total = [], 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line).get("content")
            if text and total < chars:
                rows.append(Row("zh" if re.search(r"[\u4e00-\u9fff]", text) else "en", text, []))
                total += len(text)
    return rows


def _fill(template: str, lang: str, values: Values, draw: random.Random) -> Row:
    text, spans, at = "", [], 0
    for match in _SLOT.finditer(template):
        text += template[at : match.start()]
        at = match.end()
        value, entity, head = values.draw(match.group(1), "zh" if lang == "zh" else "en")
        value = _form(value, match.group(2), draw)
        spans.append((len(text) + head, len(text) + len(value), entity))
        text += value
    return Row(lang, text + template[at:], spans)


def _form(value: str, form: str | None, draw: random.Random) -> str:
    """Write a value as people write it: in another case, full-width, with blanks, broken or with unseen characters."""
    if form is None:
        return value
    if form in ("lower", "upper"):
        return getattr(value, form)()
    if form == "odd":
        return "".join(draw.choice((str.upper, str.lower))(c) for c in value)
    if form == "wide":
        return value.translate(_WIDE)
    if form == "zero":
        return "".join(c + draw.choice(("", "", "\u200b", "\u2060")) for c in value[:-1]) + value[-1]
    middle = len(value) // 2
    if form == "break":
        return value[:middle] + "\n" + value[middle:]
    if "@" in value:
        return value.replace("@", " @ ")
    if form == "spaced" and "-" in value:
        return value.replace("-", " ")
    if len(value) == 11:
        return f"{value[:3]} {value[3:7]} {value[7:]}"
    return " ".join(value[i : i + 4] for i in range(0, len(value), 4))


def _synth(raw: str) -> list[Row]:
    return [
        Row("en", r["full_text"], [(s["start_position"], s["end_position"], s["entity_type"]) for s in r["spans"]])
        for r in json.loads(raw)[:500]
    ]


def _chat(raw: str) -> list[Row]:
    return [
        Row(r["lang"], r["text"], [(s["start"], s["end"], s["type"]) for s in r["spans"]])
        for r in map(json.loads, raw.splitlines())
    ]


def _nano(raw: str) -> list[Row]:
    rows = []
    for record in json.loads(raw):
        text, spans = record["text"], []
        for found in record.get("NER", ()):
            value = _placed(text, next(v for key, v in found.items() if key != "label"))
            if value:
                start = text.find(value)
                spans.append((start, start + len(value), found["label"]))
        rows.append(Row("en", text, spans))
    return rows


def _placed(text: str, label: str) -> str:
    """The value of a label as it stands in the text; empty where it does not stand there.

    One label in eight of this set is written with marks or a field's name around the value (`*SSN* 1-2-3*`).
    """
    pieces = sorted(filter(_VALUE.search, re.split(r"\*\s*", label)), key=len, reverse=True)
    return next((value for value in (label, *pieces) if value and value in text), "")
