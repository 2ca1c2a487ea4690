"""Asks an OpenAI-compatible server for one structured answer: within a time, with retries, and nothing else."""

import ipaddress
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from pipelines.settings_groups import SecondReaderGroup
from schemas.errors import ConfigError, TacitError

_MOST_BYTES = 1 << 20
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 60.0
ANSWER_TOKENS = 200
_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


class SecondReaderFault(TacitError):
    """The second reader's server cannot be used as it is set up."""

    code = "second_reader"


@dataclass(frozen=True)
class Reply:
    """What came of a question.

    Attributes:
        answer: The structured answer; None where there is none.
        why: `answered`, `refused`, `malformed` (not the structure that was asked for), `cut` (too long), or
            `unreached` (busy or silent to the last try).
        tokens: Tokens that it cost, as the server says, or as guessed from its length.
    """

    answer: dict[str, Any] | None
    why: str
    tokens: int


class Chat:
    """A server, and how it is asked.

    Args:
        settings: Address, model, key, time and tries.
        sleep: Waits some seconds; for tests.

    Raises:
        ConfigError: The address is no address, or not encrypted although it is elsewhere; the key cannot be read;
            httpx is not installed.
    """

    def __init__(self, settings: SecondReaderGroup, sleep: Callable[[float], None] = time.sleep) -> None:
        try:
            import httpx
        except ImportError:
            raise ConfigError(
                "The second reader needs httpx, which is not installed.",
                state="Nothing was sent.",
                then="Install it: pip install httpx",
            ) from None
        self._httpx, self._settings, self._sleep = httpx, settings, sleep
        self._url = _checked(str(settings.url)).rstrip("/") + "/chat/completions"
        headers = {} if settings.api_key_file is None else {"Authorization": f"Bearer {_key(settings)}"}
        # No redirects: what is sent goes to the address that the operator named, and to no other.
        self._client = httpx.Client(headers=headers, follow_redirects=False)

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def payload(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        """The body of a question. Equal questions have equal bodies."""
        shape = {"name": "verdict", "strict": True, "schema": schema}
        return {
            "model": self._settings.model,
            "messages": messages,
            "temperature": 0,
            "max_tokens": ANSWER_TOKENS,
            "response_format": {"type": "json_schema", "json_schema": shape},
        }

    def ask(self, payload: dict[str, Any]) -> Reply:
        """Ask once, again while the server is busy or silent.

        Args:
            payload: The result of `payload`.

        Returns:
            What came of it.

        Raises:
            SecondReaderFault: The server says that it will never answer such a question: wrong key, address or model.
        """
        guess = guessed_tokens(payload)
        wait = _FIRST_WAIT_S
        for attempt in range(self._settings.retries + 1):
            status, body, after = self._once(payload)
            if status == 200:
                return _read(body, guess)
            if status is not None and status not in _AGAIN:
                raise SecondReaderFault(
                    f"The second reader's server answers with status {status}.",
                    state="Verdicts that were given before it are kept.",
                    then="Check second_reader.url, second_reader.model and second_reader.api_key_file.",
                )
            if attempt < self._settings.retries:
                self._sleep(min(wait if after is None else max(after, 0.0), _LONGEST_WAIT_S))
                wait *= 2
        return Reply(None, "unreached", 0)

    def _once(self, payload: dict[str, Any]) -> tuple[int | None, bytes, float | None]:
        """Status, body and the wait that the server asks for; status None where it was not reached in time."""
        limit = time.monotonic() + self._settings.timeout_s
        try:
            with self._client.stream("POST", self._url, json=payload, timeout=self._settings.timeout_s) as response:
                body = bytearray()
                for chunk in response.iter_bytes():
                    body += chunk
                    # The library's own time-out starts anew with every byte that drips in.
                    if len(body) > _MOST_BYTES or time.monotonic() > limit:
                        return None, b"", None
                return response.status_code, bytes(body), _retry_after(response.headers.get("Retry-After"))
        except self._httpx.HTTPError:
            return None, b"", None


def guessed_tokens(payload: dict[str, Any]) -> int:
    """Tokens of a question and its longest answer, guessed high: three bytes each."""
    return len(json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")) // 3 + ANSWER_TOKENS


def _read(body: bytes, guess: int) -> Reply:
    """Take the answer out of the server's body, which may hold anything."""
    try:
        found = json.loads(body)
        choice = found["choices"][0]
        message = choice["message"]
        content = message.get("content")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return Reply(None, "malformed", guess)
    usage = found.get("usage")
    said = usage.get("total_tokens") if isinstance(usage, dict) else None
    tokens = said if isinstance(said, int) and not isinstance(said, bool) and said >= 0 else guess
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return Reply(None, "refused", tokens)
    if choice.get("finish_reason") == "length":
        return Reply(None, "cut", tokens)
    try:
        answer = json.loads(content)
    except (ValueError, TypeError, RecursionError):
        return Reply(None, "malformed", tokens)
    return Reply(answer, "answered", tokens) if isinstance(answer, dict) else Reply(None, "malformed", tokens)


def _retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, as a number or as a date."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    return seconds if 0.0 <= seconds < float("inf") else None


def _checked(url: str) -> str:
    """The address, if texts may be sent there: encrypted, or on this machine."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        parts, host = None, ""
    if parts is None or parts.scheme not in ("http", "https") or not host:
        raise ConfigError(
            "The setting second_reader.url is no address of a server.",
            state="Nothing was sent.",
            then="It begins with https:// and mostly ends with /v1.",
        )
    if parts.scheme == "http" and not _here(host):
        raise ConfigError(
            "The setting second_reader.url is not encrypted, and leads to another machine.",
            state="Nothing was sent.",
            then="Use https://, or a server on this machine.",
        )
    return url


def _here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _key(settings: SecondReaderGroup) -> str:
    try:
        key = settings.api_key_file.read_text(encoding="utf-8").strip() if settings.api_key_file else ""
    except (OSError, UnicodeDecodeError):
        key = ""
    if not key or not key.isascii() or not key.isprintable():
        raise ConfigError(
            "The file that second_reader.api_key_file names holds no key.",
            state="Nothing was sent.",
            then="Put the key on one line of that file.",
        )
    return key
