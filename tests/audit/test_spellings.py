"""A planted value is found in every spelling in which software writes it down."""

import base64
import json
import zlib
from urllib.parse import quote, quote_plus

import pytest

from audit.canaries import Canary, Search, read_canaries
from audit.forms import fold
from schemas.errors import ConfigError

VALUES = {
    "name": "Wilhelmina Thackeray",
    "人名": "欧阳晓岚",
    "mail": "canary.fox+1@example.org",
    "tel": "+44 7700 900477",
}
WIDE = str.maketrans({chr(c): chr(c + 0xFEE0) for c in (*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))})
SPELLINGS = {
    "as it is": lambda v: v,
    "in capitals": str.upper,
    "in full width": lambda v: v.translate(WIDE),
    "with an invisible character": lambda v: v[:3] + "\u200b" + v[3:],
    "over a line break": lambda v: v.replace(" ", "\n  "),
    "backwards": lambda v: v[::-1],
    "as JSON writes it": lambda v: json.dumps(v),
    "as JSON within JSON writes it": lambda v: json.dumps(json.dumps({"text": v})),
    "as Python writes bytes": lambda v: repr(v.encode()),
    "as Python escapes it": lambda v: ascii(v),
    "in a URL": lambda v: quote(v, safe=""),
    "in a form": quote_plus,
    "in HTML": lambda v: "".join(c if c.isascii() else f"&#{ord(c)};" for c in v),
    "in hexadecimal": lambda v: v.encode().hex(),
    "in Base64": lambda v: base64.b64encode(v.encode()).decode(),
    "in Base64, one byte in": lambda v: base64.b64encode(b"x" + v.encode() + b" and more").decode(),
    "in Base64, two bytes in": lambda v: base64.urlsafe_b64encode(b"xy" + v.encode() + b" and more").decode(),
}


def search(*values: str) -> Search:
    return Search([Canary(str(n), value) for n, value in enumerate(values)])


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_is_found_however_it_is_written(value, spelling):
    text = f"before {SPELLINGS[spelling](value)} after"
    assert search(value).in_text(text) == {"0": 1}
    assert search("somebody else entirely", "另一个人", "0301 555 010 999").in_text(text) == {}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_is_found_in_bytes_of_any_encoding(value, encoding):
    data = b"\x00\xff" + f"x {value} y".encode(encoding) + b"\xfe"
    assert search(value).in_bytes(data) == {"0": 1}
    assert search(value).in_bytes(zlib.compress(data)) == {}


@pytest.mark.parametrize("written", ["447700900477", "+44 (7700) 900-477", "44.7700.900.477", "+44 7700 900 477"])
def test_a_number_is_found_however_it_is_grouped(written):
    assert search("+44 7700 900477").in_text(f"call {written}!") == {"0": 1}


def test_occurrences_are_counted_by_name():
    found = search("Thackeray", "canary_on_air").in_text("Thackeray, THACKERAY and @canary_on_air")
    assert found == {"0": 2, "1": 1}


def test_a_text_without_canaries_costs_no_false_find():
    assert Search([]).in_text("anything") == {}
    assert fold("Ａ\u200bb\n c") == "ab c"


def test_canaries_are_read_with_and_without_names(tmp_path):
    file = tmp_path / "canaries.txt"
    file.write_text("\ufeffperson\tWilhelmina Thackeray\n\n  欧阳晓岚 \n")
    assert read_canaries(file) == [Canary("person", "Wilhelmina Thackeray"), Canary("line 3", "欧阳晓岚")]


@pytest.mark.parametrize("content", [b"", b"\n \n", b"ab\n", b"\xff\xfe\x00", b"person\tab"])
def test_a_file_that_could_find_nothing_or_everything_is_refused(tmp_path, content):
    file = tmp_path / "canaries.txt"
    file.write_bytes(content)
    with pytest.raises(ConfigError):
        read_canaries(file)


def test_a_missing_file_of_canaries_is_refused(tmp_path):
    with pytest.raises(ConfigError):
        read_canaries(tmp_path / "none")
