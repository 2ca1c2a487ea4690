"""Which model reads the names of a language: the one interface behind which models are chosen by the policy."""

from anonymize.names.chinese import ChineseNameRecognizer
from anonymize.names.english import EnglishNameRecognizer
from anonymize.names.gliner import GlinerNameRecognizer
from anonymize.names.reader import NameReader
from anonymize.names.transformer import TransformerNameRecognizer
from anonymize.policy import Policy

TRANSFORMER, GLINER = "hf:", "gliner:"


def reader_of(language: str, policy: Policy) -> NameReader:
    """Make the reader of a language.

    Args:
        language: `en` for Latin script, `zh` for Chinese.
        policy: Names the model: an installed spaCy package (`en`), `lac` (`zh`), or, for both, `hf:` or `gliner:` with
            the folder or the cached name of a model. Nothing is downloaded.

    Raises:
        AnonymizeError: The model or its library is not on this machine.
    """
    model = policy.chinese_model if language == "zh" else policy.english_model
    if model.startswith(TRANSFORMER):
        return TransformerNameRecognizer(language, model.removeprefix(TRANSFORMER))
    if model.startswith(GLINER):
        return GlinerNameRecognizer(language, model.removeprefix(GLINER))
    return ChineseNameRecognizer() if language == "zh" else EnglishNameRecognizer(model)
