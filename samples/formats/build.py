"""Builds a sample file of every format from the conversations of `conversations.yaml`, the same bytes each time."""

import shutil
from pathlib import Path

from formats import apps, bots, datasets, logs, platforms, runs, traces
from formats.told import Talk, told

from pipelines.readers.registry import FORMATS

HERE = Path(__file__).resolve().parent
DAY = "2026-11-05"
WRITERS = {
    "native": logs.native,
    "dify": platforms.dify,
    "chatgpt": apps.chatgpt,
    "claude": apps.claude,
    "claude-code": apps.claude_code,
    "wildchat": datasets.wildchat,
    "lmsys": datasets.lmsys,
    "arena": datasets.arena,
    "sharegpt": datasets.sharegpt,
    "librechat": platforms.librechat,
    "openwebui": platforms.openwebui,
    "rasa": bots.rasa,
    "chatwoot": bots.chatwoot,
    "llm": logs.llm,
    "langfuse": runs.langfuse,
    "langsmith": runs.langsmith,
    "phoenix": traces.phoenix,
    "openinference": traces.openinference,
    "otel-genai": traces.otel,
    "openai": logs.openai,
    "pairs": datasets.pairs,
    "turns": logs.turns,
}


def read() -> tuple[dict[str, Talk], list[str]]:
    """The conversations, and what is wrong with them or with the list of formats."""
    talks, faults = told(HERE / "conversations.yaml")
    lacking = sorted({f.name for f in FORMATS} ^ WRITERS.keys())
    return talks, faults + [f"formats/build.py: {name} has a format or a writer, but not both" for name in lacking]


def build(talks: dict[str, Talk], out: Path) -> None:
    """Write the files of all formats as one landing day.

    Args:
        talks: The conversations by id.
        out: Folder for `dt=*/`; an older one in it is replaced.
    """
    day = out / f"dt={DAY}"
    shutil.rmtree(day, ignore_errors=True)
    for write in WRITERS.values():
        for name, data in write(talks).items():
            (day / name).parent.mkdir(parents=True, exist_ok=True)
            (day / name).write_bytes(data)
