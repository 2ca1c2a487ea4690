"""All formats that Tacit reads, in the order in which they are tried."""

from pipelines.readers.format import Format
from pipelines.readers.formats.arena import ARENA
from pipelines.readers.formats.chatgpt import CHATGPT
from pipelines.readers.formats.chatwoot import CHATWOOT
from pipelines.readers.formats.claude import CLAUDE
from pipelines.readers.formats.claude_code import CLAUDE_CODE
from pipelines.readers.formats.dify import DIFY
from pipelines.readers.formats.langfuse import LANGFUSE
from pipelines.readers.formats.langsmith import LANGSMITH
from pipelines.readers.formats.librechat import LIBRECHAT
from pipelines.readers.formats.llm import LLM
from pipelines.readers.formats.lmsys import LMSYS
from pipelines.readers.formats.native import NATIVE
from pipelines.readers.formats.openai import OPENAI
from pipelines.readers.formats.openinference import OPENINFERENCE
from pipelines.readers.formats.openwebui import OPENWEBUI
from pipelines.readers.formats.otel_genai import OTEL_GENAI
from pipelines.readers.formats.pairs import PAIRS
from pipelines.readers.formats.phoenix import PHOENIX
from pipelines.readers.formats.rasa import RASA
from pipelines.readers.formats.sharegpt import SHAREGPT
from pipelines.readers.formats.turns import TURNS
from pipelines.readers.formats.wildchat import WILDCHAT

FORMATS: tuple[Format, ...] = (
    NATIVE,
    DIFY,
    CHATGPT,
    CLAUDE,
    CLAUDE_CODE,
    WILDCHAT,
    LMSYS,
    ARENA,
    SHAREGPT,
    LIBRECHAT,
    OPENWEBUI,
    RASA,
    CHATWOOT,
    LLM,
    LANGFUSE,
    LANGSMITH,
    PHOENIX,
    OPENINFERENCE,
    OTEL_GENAI,
    OPENAI,
    PAIRS,
    TURNS,
)


def format_named(name: str) -> Format | None:
    """The format of this name."""
    return next((f for f in FORMATS if f.name == name), None)
