"""Which recognizer serves which entity type, in the frame of Presidio's registry."""

from presidio_analyzer import EntityRecognizer, RecognizerRegistry

from anonymize.names.chinese import ChineseNameRecognizer
from anonymize.names.context import NameContextRecognizer
from anonymize.names.context_zh import ChineseContextRecognizer
from anonymize.names.cues import NameCueRecognizer
from anonymize.names.cues_zh import ChineseNameCueRecognizer
from anonymize.names.english import EnglishNameRecognizer
from anonymize.names.known import KnownNameRecognizer
from anonymize.names.organizations import OrganizationRecognizer
from anonymize.names.places import PlaceCueRecognizer
from anonymize.policy import Policy
from anonymize.recognizers.address_han import HanAddressRecognizer
from anonymize.recognizers.address_latin import LatinAddressRecognizer
from anonymize.recognizers.bank_account import BankAccountRecognizer
from anonymize.recognizers.base import RuleRecognizer
from anonymize.recognizers.birth_date import BirthDateRecognizer
from anonymize.recognizers.card import CreditCardRecognizer
from anonymize.recognizers.chat_id import ChatIdRecognizer
from anonymize.recognizers.coordinates import CoordinatesRecognizer
from anonymize.recognizers.email import EmailRecognizer
from anonymize.recognizers.handle import HandleRecognizer
from anonymize.recognizers.iban import IbanRecognizer
from anonymize.recognizers.ip import IpRecognizer
from anonymize.recognizers.national_id import NationalIdRecognizer
from anonymize.recognizers.passport import PassportRecognizer
from anonymize.recognizers.path_user import PathUserRecognizer
from anonymize.recognizers.phone import PhoneRecognizer
from anonymize.recognizers.plate import LicensePlateRecognizer
from anonymize.recognizers.resident_id import ResidentIdRecognizer
from anonymize.recognizers.secret import SecretRecognizer
from anonymize.recognizers.ssn import SsnRecognizer
from anonymize.recognizers.tabular import TabularRecognizer
from anonymize.recognizers.url import UrlRecognizer
from anonymize.recognizers.wallet import CryptoWalletRecognizer
from schemas.errors import AnonymizeError

RULES: tuple[type[RuleRecognizer], ...] = (
    EmailRecognizer,
    PhoneRecognizer,
    CreditCardRecognizer,
    IbanRecognizer,
    BankAccountRecognizer,
    ResidentIdRecognizer,
    PassportRecognizer,
    SsnRecognizer,
    NationalIdRecognizer,
    LicensePlateRecognizer,
    IpRecognizer,
    UrlRecognizer,
    PathUserRecognizer,
    HandleRecognizer,
    ChatIdRecognizer,
    SecretRecognizer,
    BirthDateRecognizer,
    CoordinatesRecognizer,
    CryptoWalletRecognizer,
    LatinAddressRecognizer,
    HanAddressRecognizer,
    TabularRecognizer,
    NameCueRecognizer,
    KnownNameRecognizer,
    NameContextRecognizer,
    ChineseContextRecognizer,
    ChineseNameCueRecognizer,
    OrganizationRecognizer,
    PlaceCueRecognizer,
)


def build_registry(policy: Policy) -> RecognizerRegistry:
    """Make every recognizer and register it for each language that it serves.

    Rules work alike in every language, so each is registered for all of them.

    Raises:
        AnonymizeError: A model is missing, or an entity of the policy is served in no or not every language.
    """
    recognizers: list[EntityRecognizer] = [rule(language) for rule in RULES for language in policy.languages]
    recognizers += [EnglishNameRecognizer(policy.english_model), ChineseNameRecognizer()]
    registry = RecognizerRegistry(recognizers=recognizers, supported_languages=list(policy.languages))
    for language in policy.languages:
        served = {e for r in registry.recognizers if r.supported_language == language for e in r.supported_entities}
        missing = sorted(set(policy.masked) - served)
        if missing:
            raise AnonymizeError(
                f"No recognizer serves {', '.join(missing)} in language {language}.",
                state="Nothing was scanned.",
                then="Remove these from the policy, or register a recognizer for them.",
            )
    return registry
