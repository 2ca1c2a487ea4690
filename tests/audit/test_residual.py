"""What looks like an identifier is counted, and what only resembles one is not. The values are invented."""

import pytest

from audit.residual import residual

FOUND = {
    "e-mail": ["write to a.b@example.com", "邮箱a.b@example.com谢谢", "ａ.ｂ@example.com"],
    "card": ["4539 1488 0343 6467", "卡号4539148803436467。"],
    "IBAN": ["NL91 ABNA 0417 1643 00", "NL91ABNA0417164300"],
    "resident id": ["身份证330102199211073011", "11010519491231002X"],
    "mobile": ["手机13977770101打不通", "139 7777 0101"],
    "telephone": ["+44 7700 900477", "call +1 (202) 555-0143"],
    "US number": ["219-09-7741"],
    "IP address": ["server 198.51.100.77 is down"],
    "secret": ["sk-canary9Xk2mQ7vL4nP8wR3", "AKIAIOSFODNN7EXAMPLE", "-----BEGIN RSA PRIVATE KEY-----"],
    "wallet": ["0x8ba1f109551bD432803012645Ac136ddd64DBA72"],
}
NOT_FOUND = [
    "<EMAIL_abcd2345> and <PHONE_zzzz2222>",
    "4539 1488 0343 6468",
    "1111 1111 1111 1111",
    "NL92ABNA0417164300",
    "330102199211073012",
    "version 1.2.3.4.5, 127.0.0.1, 0.0.0.0, 300.1.1.1",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "2026-11-02T10:00:00.123456Z",
    "u_wg3sihiunxubpli4jl7dy5r2on",
    "retry_after=1764412345, took 13977770101ns",
    "000-12-3456",
]


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in FOUND.items() for t in texts])
def test_an_identifier_is_counted(kind, text):
    assert residual(text)[kind] == 1


@pytest.mark.parametrize("text", NOT_FOUND)
def test_what_only_resembles_one_is_not(text):
    assert not residual(text)


def test_every_occurrence_counts():
    assert residual("a.b@example.com, c.d@example.com; 13977770101") == {"e-mail": 2, "mobile": 1}
