"""Every setting, its default and where its value came from: flags over environment over file over default."""

import difflib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from pipelines.readers.sources import SOURCES_FILE
from pipelines.settings_groups import AnonymizeGroup, DetectGroup, LinkGroup, SecondReaderGroup, SqlGroup
from schemas.errors import ConfigError

# File of a cross-encoder's folder that says which weights it holds.
CROSS_ENCODER_CARD = "tacit.json"
# The one that comes with Tacit.
INCLUDED = "included"
INCLUDED_CROSS_ENCODER = Path(__file__).parent / "included"

CONFIG_FILE = "tacit.toml"
_PREFIX = "TACIT_"
_OUTSIDE = {"TACIT_CONFIG"}  # names the file itself, so it cannot stand in it


def _included(value: object) -> object:
    return INCLUDED_CROSS_ENCODER if value == INCLUDED else value


class Settings(BaseSettings):
    """All settings of a run. Frozen; unknown keys are refused."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, protected_namespaces=()
    )

    landing: Path = Field(
        Path("landing"), description="Folder of raw logs: dt=YYYY-MM-DD folders, one a day of arrival."
    )
    warehouse: Path = Field(
        Path("warehouse"),
        description="Folder of the published tables, or their URL in object storage, such as s3://bucket/prefix."
        " With `store`, the folder of this machine's copy of them.",
    )
    store: str | None = Field(
        None,
        pattern=r"^[a-z][a-z0-9+.-]*://.+",
        description="URL of the tables in object storage, where `warehouse` names a folder for this machine's copy.",
    )
    home: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_path("tacit")),
        description="What is neither landing nor warehouse: the pseudonym key, caches.",
    )
    key_file: Path | None = Field(None, description="Pseudonym key; unset: keys/TENANT.key under home.")
    tenant: str | None = Field(
        None,
        pattern=r"^[a-z0-9][a-z0-9-]{0,62}$",
        description="Whose data it is: each tenant has a key of its own; unset: keys/pseudonym.key.",
    )
    retention_days: int | None = Field(
        None, ge=1, description="Days that `tacit prune` keeps; unset: it must be told a date. No run removes anything."
    )
    source: str = Field("default", min_length=1, description="Source of records that name none.")
    sources: Path | None = Field(
        None, description="What is declared about sources; unset: sources.yaml in the landing zone, if it is there."
    )
    encoder: str = Field(
        "use-multilingual", description="Sentence encoder: use-multilingual, or sentence-transformers:MODEL."
    )
    cross_encoder: Annotated[Path | None, BeforeValidator(_included)] = Field(
        None,
        description="What reads Complain and Rephrase beside the small models: included, or the folder of a"
        " cross-encoder that `make train-cross-encoder` made; unset: nothing.",
    )
    embedding_cache_mb: int = Field(
        512, ge=0, description="Most disk that vectors of de-identified texts take under home between runs; 0: none."
    )
    workers: int = Field(0, ge=0, description="Processes; 0: one a core.")
    buckets: int = Field(
        0, ge=0, le=4096, description="Units of work a landing day; 0: by size. Never changes a result."
    )
    record_limit: int = Field(16 << 20, ge=1 << 10, description="Longest record that is read, in bytes.")
    lookback_days: int = Field(7, ge=0, le=90, description="Days before an exchange that its detectors look back on.")
    batch_days: int = Field(7, ge=1, description="Landing days that are published together by --all.")
    first_day: date = Field(date(2026, 1, 1), description="Landing day from which the scheduler catches up.")
    anonymize: AnonymizeGroup = AnonymizeGroup()
    link: LinkGroup = LinkGroup()
    detect: DetectGroup = DetectGroup()
    second_reader: SecondReaderGroup = SecondReaderGroup()
    sql: SqlGroup = SqlGroup()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load_settings` passes in: it has layered the sources, and knows where each value is from."""
        return (init_settings,)

    @property
    def key_path(self) -> Path:
        """The pseudonym key's file."""
        return self.key_file or self.home / "keys" / f"{self.tenant or 'pseudonym'}.key"

    @property
    def sources_path(self) -> Path | None:
        """The file of declarations, if there is one."""
        given = self.landing / SOURCES_FILE
        return self.sources or (given if given.is_file() else None)

    @property
    def processes(self) -> int:
        """How many processes work side by side."""
        return self.workers or os.cpu_count() or 1

    def digest(self) -> str:
        """Digest of the settings that results depend on: not where things lie, nor how the work is divided.

        What is declared about sources has digests of its own, one for each input file.
        """
        outside = {
            "landing",
            "warehouse",
            "store",
            "sources",
            "home",
            "key_file",
            "tenant",
            "retention_days",
            "workers",
            "buckets",
            "batch_days",
            "first_day",
            "second_reader",
            "sql",
        }
        plain = self.model_dump(mode="json", exclude=outside)
        # Whether texts are encoded one by one shows in the last digits; how much is kept does not.
        plain["embedding_cache_mb"] = self.embedding_cache_mb > 0
        # A cross-encoder counts by its card, which names its weights.
        plain["cross_encoder"] = _digest_of(self.cross_encoder and self.cross_encoder / CROSS_ENCODER_CARD)
        # A registry of one's own counts by what it says, wherever it lies.
        plain["anonymize"]["registry"] = _digest_of(self.anonymize.registry)
        plain["detect"]["toggling_sources"] = sorted(plain["detect"]["toggling_sources"])
        text = json.dumps(plain, sort_keys=True)
        return blake2b(text.encode(), digest_size=8).hexdigest()


def _digest_of(file: Path | None) -> str | None:
    """Digest of a file's bytes; of none where there is no file, or none that can be read: a run would not start."""
    try:
        return None if file is None else blake2b(file.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return "unreadable"


@dataclass(frozen=True)
class Loaded:
    """Settings in force, and where each came from.

    Attributes:
        settings: The settings.
        origins: Dotted setting name to `flag`, `environment`, the file's name, or `default`.
    """

    settings: Settings
    origins: dict[str, str]


def load_settings(flags: dict[str, Any] | None = None, config: Path | None = None) -> Loaded:
    """Layer flags over environment over file over defaults.

    Args:
        flags: Values given on the command line; None values are left out.
        config: The settings file; by default `TACIT_CONFIG`, else `tacit.toml` in the working folder if it is there.

    Returns:
        The settings and their origins.

    Raises:
        ConfigError: An unknown key, a value of the wrong type or out of range, or a file that cannot be read.
    """
    given = {k: v for k, v in (flags or {}).items() if v is not None}
    file = config or (Path(os.environ["TACIT_CONFIG"]) if "TACIT_CONFIG" in os.environ else None)
    if file is None and Path(CONFIG_FILE).is_file():
        file = Path(CONFIG_FILE)
    layers = [(f"file {file}", _read(file) if file else {}), ("environment", _environment()), ("flag", given)]
    merged: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, values in layers:
        for name, value in _flatten(values):
            origins[name] = origin
            _set(merged, name, value)
    _divide(merged, origins)
    try:
        settings = Settings(**merged)
    except ValidationError as fault:
        raise _config_error(fault, origins) from None
    return Loaded(settings, {name: origins.get(name, "default") for name, _ in _flatten(settings.model_dump())})


def _divide(merged: dict[str, Any], origins: dict[str, str]) -> None:
    """Where the warehouse is a URL, that is the store; the folder is this machine's copy of it, under home."""
    if "://" not in (given := str(merged.get("warehouse", ""))):
        return
    url = given.rstrip("/")
    if merged.get("store", url).rstrip("/") != url:
        raise ConfigError(
            f"Both warehouse ({origins['warehouse']}) and store ({origins['store']}) name object storage.",
            state="Nothing was started.",
            then="Unset store, or let warehouse name the folder of this machine's copy.",
        )
    home = Path(merged.get("home") or Settings().home)
    name = re.sub(r"[^A-Za-z0-9]+", "-", url.partition("://")[2])[-60:].strip("-")
    digest = blake2b(url.encode(), digest_size=4).hexdigest()
    merged |= {"store": url, "warehouse": home / "copies" / f"{name}-{digest}"}
    origins["store"] = origins["warehouse"]


def known_settings() -> list[str]:
    """Dotted names of all settings."""
    return [name for name, _ in _flatten(Settings().model_dump())]


def describe_setting(name: str) -> str:
    """The description of one setting, by dotted name."""
    model: Any = Settings
    *path, last = name.split(".")
    for part in path:
        model = model.model_fields[part].annotation
    return str(model.model_fields[last].description)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise ConfigError(
            f"The settings file {file} cannot be read ({type(fault).__name__}).",
            state="Nothing was started.",
            then="Mend the file, or name another with --config or TACIT_CONFIG.",
        ) from None


def _environment() -> dict[str, Any]:
    known = {_PREFIX + n.upper().replace(".", "__") for n in known_settings()}
    strange = sorted(n for n in os.environ if n.startswith(_PREFIX) and n not in known | _OUTSIDE)
    if strange:
        raise _unknown(strange[0], "environment", sorted(known))
    return EnvSettingsSource(Settings)()


def _flatten(values: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat = []
    for key, value in values.items():
        flat += _flatten(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return flat


def _set(target: dict[str, Any], name: str, value: Any) -> None:
    *path, last = name.split(".")
    for part in path:
        target = target.setdefault(part, {})
    target[last] = value


def _config_error(fault: ValidationError, origins: dict[str, str]) -> ConfigError:
    first = fault.errors(include_input=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    origin = origins.get(name, "settings")
    if first["type"] == "extra_forbidden":
        return _unknown(name, origin, known_settings())
    return ConfigError(
        f"The setting {name} ({origin}) is not valid: {first['msg']}.",
        state="Nothing was started.",
        then="`tacit config` lists every setting with its meaning.",
    )


def _unknown(name: str, origin: str, known: list[str]) -> ConfigError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]}?" if near else "`tacit config` lists every setting."
    return ConfigError(f"There is no setting {name} ({origin}).", state="Nothing was started.", then=hint)
