"""What share of real gaps each threshold of Skim would flag.

    python benchmarks/skim_thresholds.py GOLD/chatgpt_timing.csv.gz

The file holds numbers of a real ChatGPT export: of each message its length and the gap from the message before it. The
gap of a user message counts from the start of the reply, as `visible_s` does, so it holds the time of writing the reply
and of typing the next message; the latter is taken off as `signals.clocks` does. There is no text: a word is taken as
six characters. The export does not say when a reply ended, so Tacit itself decides nothing on it: these are figures
about thresholds, not about people.
"""

import argparse
from pathlib import Path

import polars as pl

from signals.settings import DetectSettings, LinkSettings
from signals.skim import hurry

_CHARS_A_WORD = 6.0
_RULES = (0.15, 0.10, 0.05)
_FRACTIONS = (0.25, 0.5, 0.75, 1.0)


def turns(path: Path, link: LinkSettings) -> pl.DataFrame:
    """User messages after a finished reply on the active path: `gap_s`, `reply_chars`, `visible_s`, `reading_s`."""
    rows = pl.read_csv(path)
    before = pl.struct("role", "n_chars", "finish_type", "on_current_path").shift(1).over("conv")
    kept = rows.with_columns(before=before).filter(
        (pl.col("role") == "user")
        & (pl.col("before").struct.field("role") == "assistant")
        & (pl.col("before").struct.field("finish_type") == "stop")
        & (pl.col("before").struct.field("on_current_path") == 1)
        & (pl.col("on_current_path") == 1)
        & pl.col("gap_from_prev_s").is_not_null()
    )
    typing = (pl.col("n_chars") / link.typed_per_s).clip(0, link.typing_cap_s)
    return kept.select(
        gap_s="gap_from_prev_s",
        reply_chars=pl.col("before").struct.field("n_chars"),
        visible_s=(pl.col("gap_from_prev_s") - typing).clip(0),
        reading_s=pl.col("before").struct.field("n_chars") / _CHARS_A_WORD * 60 / link.words_per_minute,
    ).filter(pl.col("gap_s") <= link.idle_s)


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timing", type=Path)
    link, settings = LinkSettings(), DetectSettings()
    gaps = turns(parser.parse_args().timing, link)
    long_enough = gaps.filter(pl.col("reading_s") >= settings.least_reading_s)
    print(f"{gaps.height:,} replies with a next message within {link.idle_s / 60:.0f} minutes, {long_enough.height:,}"
          f" of them long enough to say (reading takes {settings.least_reading_s:g} s or more).\n")  # fmt: skip
    print("| threshold | share of all | share of those long enough |\n|---|---|---|")
    for rule in _RULES:
        _row(f"gap below {rule:g} s a character of the reply", pl.col("gap_s") < rule * pl.col("reply_chars"),
             gaps, long_enough)  # fmt: skip
    for fraction in _FRACTIONS:
        own = " (the default)" if fraction == settings.skim_fraction else ""
        flagged = pl.col("visible_s") / pl.col("reading_s") <= fraction
        _row(f"on screen for at most {fraction:g} of the reading time{own}",
             flagged & (pl.col("reading_s") >= settings.least_reading_s), gaps, long_enough)  # fmt: skip
    estimated = long_enough.select(p=hurry(settings))["p"].mean()
    print(f"\nMean probability at the default, of those long enough: {100 * float(estimated or 0):.1f} %.")


def _row(name: str, flagged: pl.Expr, gaps: pl.DataFrame, long_enough: pl.DataFrame) -> None:
    shares = [f"{100 * float(frame.select(flagged.mean()).item()):.1f} %" for frame in (gaps, long_enough)]
    print(f"| {name} | {shares[0]} | {shares[1]} |")


if __name__ == "__main__":
    main()
