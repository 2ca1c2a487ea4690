"""Addresses of crypto wallets."""

from collections.abc import Iterator
from hashlib import sha256

from anonymize.recognizers.base import CUED, PROVEN, SHAPED, Hit, RuleRecognizer, over_bytes
from anonymize.view import View, free

_ETHEREUM = over_bytes(r"0x[0-9A-Fa-f]{40}")
_BECH32 = over_bytes(r"(?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{20,80}")
_BASE58 = over_bytes(r"[13TLDXr][1-9A-HJ-NP-Za-km-z]{25,40}")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_CUES = (
    "btc",
    "bitcoin",
    "wallet",
    "eth",
    "usdt",
    "trc20",
    "tron",
    "crypto",
    "钱包",
    "比特币",
    "地址",
    "转币",
    "address",
    "doge",
    "ltc",
)


class CryptoWalletRecognizer(RuleRecognizer):
    """Finds wallet addresses by shape, by checksum, or beside a word for them."""

    ENTITIES = ("CRYPTO_WALLET",)
    BY_PATTERNS = True

    def find(self, view: View) -> Iterator[Hit]:
        """Yield addresses."""
        if not view.has_digit:
            return
        if "0x" in view.text:
            for match in view.matches(_ETHEREUM):
                if free(view.skeleton, *match.span()):
                    yield Hit.at(match.span(), PROVEN, "CRYPTO_WALLET")
        if view.holds(_BECH32):
            for match in view.matches(_BECH32):
                if free(view.skeleton, *match.span()):
                    yield Hit.at(match.span(), SHAPED, "CRYPTO_WALLET")
        yield from self._base58(view)

    def _base58(self, view: View) -> Iterator[Hit]:
        for match in view.matches(_BASE58):
            start, end = match.span()
            value = match.group().decode("latin-1")
            if not free(view.skeleton, start, end, also=b"-/+") or not _mixed(value):
                continue
            near = view.before(start, 40) + view.after(end, 20)
            if _checksum(value):
                yield Hit(start, end, PROVEN, "CRYPTO_WALLET")
            elif any(cue in near for cue in _CUES):
                yield Hit(start, end, CUED, "CRYPTO_WALLET")


def _mixed(value: str) -> bool:
    """Whether capitals, small letters and digits all occur, as they do in a base-58 digest."""
    return any(c.isdigit() for c in value) and any(c.isupper() for c in value) and any(c.islower() for c in value)


def _checksum(value: str) -> bool:
    """Whether the last four bytes are the double SHA-256 of the others (base58check, as of 25 bytes)."""
    number = 0
    for char in value:
        number = number * 58 + _ALPHABET.index(char)
    try:
        raw = number.to_bytes(25, "big")
    except OverflowError:
        return False
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]
