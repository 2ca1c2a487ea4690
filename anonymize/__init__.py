"""The one door through which raw text enters: text in, de-identified text out.

Importing this package loads no model and no third-party analyzer; `Deidentifier` does, when it is constructed.
"""

from anonymize.door import Deidentifier, Item, Result
from anonymize.keys import PseudonymKey, create_key, load_key
from anonymize.policy import ENTITIES, Policy

__all__ = ["ENTITIES", "Deidentifier", "Item", "Policy", "PseudonymKey", "Result", "create_key", "load_key"]
