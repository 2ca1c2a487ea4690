"""What an operator declares about the sources of a landing zone: things that no file says of itself."""

import fnmatch
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipelines.readers.columns import Columns
from schemas.enums import EventKind, Status
from schemas.errors import ConfigError

SOURCES_FILE = "sources.yaml"


class ReplyTime(StrEnum):
    """What the only time of a reply means."""

    FIRST_TOKEN = "first_token"  # noqa: S105 - no password
    LAST_TOKEN = "last_token"  # noqa: S105
    STORED = "stored"


class Source(BaseModel):
    """What is declared about the files of one source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: str = Field("**", description="Which files below a landing day: a name, with * and ? as wildcards.")
    format: str | None = Field(None, description="Name of the format; unset: recognised by its contents.")
    source: str | None = Field(None, min_length=1, description="Name of the product or application in the tables.")
    zone: str | None = Field(None, description="Time zone of times that state none, such as Asia/Shanghai.")
    reply_time: ReplyTime | None = Field(None, description="What the only time of a reply means.")
    votes: dict[str, EventKind | None] = Field(
        default_factory=dict,
        description="Spelling of votes and ratings, such as '1': thumbs_down; null means no vote. What is not listed"
        " is read as the format spells it.",
    )
    feedback_names: tuple[str, ...] = Field(
        (), description="For traces: more names of scores that are a user's feedback, as they are logged."
    )
    statuses: dict[str, Status] = Field(default_factory=dict, description="Spelling of how a reply ended.")
    columns: Columns | None = Field(None, description="For tables of turns: which column holds what.")

    @field_validator("zone")
    @classmethod
    def _known(cls, zone: str | None) -> str | None:
        if zone is not None:
            try:
                ZoneInfo(zone)
            except (ZoneInfoNotFoundError, ValueError):
                raise ValueError("there is no such time zone") from None
        return zone

    @model_validator(mode="after")
    def _read_by_columns(self) -> "Source":
        if self.columns is not None and self.format != "turns":
            raise ValueError("columns are read only with `format: turns`")
        return self

    @property
    def tz(self) -> tzinfo | None:
        """The declared zone."""
        return None if self.zone is None else ZoneInfo(self.zone)


@dataclass(frozen=True)
class Sources:
    """All declarations of a landing zone, in the order in which they are tried."""

    declared: tuple[Source, ...] = field(default_factory=tuple)

    def of(self, file: str) -> Source:
        """The first declaration whose pattern the file matches; the defaults where there is none."""
        return next((s for s in self.declared if fnmatch.fnmatchcase(file, s.files)), Source())


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: tuple[Source, ...]


def load_sources(file: Path | None) -> Sources:
    """Read a file of declarations.

    Args:
        file: A YAML file with a list under `sources`; None for none.

    Returns:
        The declarations.

    Raises:
        ConfigError: It cannot be read, or a declaration is not valid.
    """
    if file is None:
        return Sources()
    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
        return Sources(_File.model_validate(given).sources)
    except ValidationError as fault:
        first = fault.errors(include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"In {file}, {where or 'the file'} is not valid: {first['msg']}.",
            state="Nothing was started.",
            then="docs/formats.md lists what can be declared about a source.",
        ) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as fault:
        raise ConfigError(
            f"The declarations of sources {file} cannot be read ({type(fault).__name__}).",
            state="Nothing was started.",
            then="Mend the file, or name another with TACIT_SOURCES.",
        ) from None
