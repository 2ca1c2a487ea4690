"""Makes sure that an encoder is the model that it claims to be: it must give known sentences their known vectors."""

import base64
import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from signals.encoder import Encoder, EncoderFault

FILE = Path(__file__).parent / "canaries.json"
SENTENCES = (
    "How do I reset the router in the hall?",
    "我的路由器老是断线怎么办",
    "No, that is not what I asked for.",
    "<PERSON_x7k2mq> 的订单 2031 still has not arrived",
)
_TOLERANCE = 1e-3


def check_canaries(encoder: Encoder) -> None:
    """Compare the vectors of known sentences with those that the model gave when its name was written down.

    Args:
        encoder: An encoder. Of a name that is not known here, nothing is said.

    Raises:
        EncoderFault: Dimensions differ, or a cosine is further from 1 than a thousandth.
    """
    wanted = _known().get(encoder.name)
    if wanted is None:
        return
    found = encoder.encode(list(SENTENCES))
    same = found.shape == wanted.shape
    if same:
        cosines = np.einsum("ij,ij->i", found, wanted) / np.linalg.norm(wanted, axis=1)
        same = bool(np.all(cosines >= 1.0 - _TOLERANCE))  # NaN compares as false
    if not same:
        raise EncoderFault(
            f"The encoder {encoder.name} is not the model that it claims to be: known sentences get other vectors.",
            state="No signal was computed.",
            then="Reinstall its package in the version of requirements.lock.",
        )


@cache
def _known() -> dict[str, NDArray[np.float32]]:
    raw = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: np.stack([np.frombuffer(base64.b64decode(v), dtype=np.int8) for v in vectors]).astype(np.float32)
        for name, vectors in raw.items()
    }


def packed(vectors: NDArray[np.float32]) -> list[str]:
    """Write unit vectors as whole steps from -127 to 127, in base 64, as `canaries.json` holds them.

    Args:
        vectors: Rows.

    Returns:
        One string a row; its direction is that of the row to within a ten-thousandth.
    """
    steps = np.round(vectors / np.abs(vectors).max(axis=1, keepdims=True) * 127).astype(np.int8)
    return [base64.b64encode(row.tobytes()).decode("ascii") for row in steps]
