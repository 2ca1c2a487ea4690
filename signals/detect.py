"""Runs the six detectors over linked conversations and lays out the `exchanges` and `signals` tables."""

from dataclasses import dataclass

import polars as pl

from schemas.contract import table
from schemas.enums import Signal
from schemas.ids import content_id
from signals.complain import Complain
from signals.cross_encoder import JUDGED, CrossEncoder
from signals.detector import Detector
from signals.dislike import Dislike
from signals.dismiss import Dismiss
from signals.encoder import Encoder
from signals.link import Window
from signals.logistic import logistic
from signals.readings import Readings
from signals.repeat import Repeat
from signals.rephrase import Rephrase
from signals.settings import DetectSettings
from signals.skim import Skim

# Strongest first: `primary` goes by this order, which is that of the enumeration.
DETECTORS: tuple[Detector, ...] = (Dislike(), Complain(), Dismiss(), Repeat(), Rephrase(), Skim())


@dataclass(frozen=True, slots=True)
class Detections:
    """What was found in a window.

    Attributes:
        exchanges: Columns of the `exchanges` table and `dt`, sorted by the table's order.
        signals: Columns of the `signals` table and `dt`, sorted by the table's order.
    """

    exchanges: pl.DataFrame
    signals: pl.DataFrame


def detect(
    window: Window,
    encoder: Encoder | None,
    settings: DetectSettings | None = None,
    closer: CrossEncoder | None = None,
) -> Detections:
    """Judge every exchange of a window by every detector.

    Args:
        window: The result of `signals.link.link`.
        encoder: The sentence encoder; None leaves null what needs one (complain, repeat, rephrase).
        settings: Thresholds; the defaults where None.
        closer: A cross-encoder that reads beside the small models, if one is configured.

    Returns:
        Both tables. They depend on the window's rows only.

    Raises:
        EncoderFault: The encoder does not give equal texts equal unit vectors.
        ConfigError: A lexicon or a model cannot be used.
    """
    readings = Readings(window, encoder, settings or DetectSettings(), closer)
    exchanges = window.exchanges
    found = []
    for detector in DETECTORS:
        judged = detector.detect(readings)
        exchanges = exchanges.join(
            judged.select(
                "exchange", pl.col("value").alias(detector.signal), pl.col("p").alias(f"p_{detector.signal}")
            ),
            on="exchange",
            how="left",
            maintain_order="left",
        )
        found.append(
            judged.filter(pl.col("value").fill_null(value=False)).with_columns(
                signal=pl.lit(detector.signal.value),
                rule_version=pl.lit(rule_version(detector, readings.space, closer)),
            )
        )
    return Detections(
        _with_day("exchanges", exchanges), _with_day("signals", _signals(pl.concat(found), window.exchanges))
    )


def rule_version(detector: Detector, space: str, closer: CrossEncoder | None = None) -> str:
    """Everything that a detection depends on beside the data: versions of rules, models and vector space.

    Args:
        detector: The detector.
        space: Name and revision of the encoder; empty without one.
        closer: The cross-encoder, if there is one.

    Returns:
        For example `1+complain.1+use-multilingual@0.2.1`.
    """
    models = [f"{name}.{logistic(name).version}" for name in getattr(detector, "models", ())]
    spaces = [space] if "encoder" in detector.needs and space else []
    read = [f"{closer.name}@{closer.revision}"] if closer is not None and detector.signal in JUDGED else []
    return "+".join([detector.version, *models, *spaces, *read])


def _signals(found: pl.DataFrame, exchanges: pl.DataFrame) -> pl.DataFrame:
    where = exchanges.select("exchange", "source", "conversation_id", "dt", message_id="reply_id")
    rank = pl.col("signal").replace_strict({s.value: n for n, s in enumerate(Signal)}, return_dtype=pl.Int32)
    ids = [content_id(*key) for key in found.select("exchange_id", "signal").iter_rows()]
    return (
        found.with_columns(pl.Series("signal_id", ids, pl.String), _rank=rank)
        .with_columns(primary=pl.col("_rank") == pl.col("_rank").min().over("exchange"))
        .join(where, on="exchange", how="left", maintain_order="left")
    )


def _with_day(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    contract = table(name)
    columns = [pl.col(c.name).cast(c.polars) for c in contract.columns]
    return frame.select(*columns, "dt").sort(contract.sort, nulls_last=False, maintain_order=True)
