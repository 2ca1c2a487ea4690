import pytest

from pipelines.encoders import load_encoder
from signals.encoder import Encoder
from talks import Grams


@pytest.fixture
def grams() -> Grams:
    return Grams()


@pytest.fixture(scope="session")
def use() -> Encoder:
    return load_encoder("use-multilingual")
