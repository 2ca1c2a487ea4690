import pytest
from talks import Grams

from pipelines.encoders import load_encoder
from signals.encoder import Encoder


@pytest.fixture
def grams() -> Grams:
    return Grams()


@pytest.fixture(scope="session")
def use() -> Encoder:
    return load_encoder("use-multilingual")
