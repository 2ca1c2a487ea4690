"""Which column of a table of turns holds what: declared, since no table says it of itself."""

from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.enums import EventKind

_NO_COUNT = (EventKind.VISIBLE, EventKind.HIDDEN)


class Columns(BaseModel):
    """Which column of a table of turns holds what. One row is one turn: a query and its answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str = Field(description="What the user asked.")
    answer: str | None = Field(None, description="What the assistant answered.")
    conversation: str | None = Field(None, description="Id of the conversation.")
    turn: str | None = Field(None, description="Id of the turn, unique within the conversation.")
    order: str | None = Field(None, description="Number of the turn within the conversation.")
    user: str | None = Field(None, description="Id of the user.")
    model: str | None = Field(None, description="Model that answered.")
    attachment: str | None = Field(None, description="Whether, or how often, a file came with the query.")
    asked_at: str | None = Field(None, description="When the query was sent.")
    answered_at: str | None = Field(None, description="When the first token of the answer was shown.")
    finished_at: str | None = Field(None, description="When the last token of the answer was shown.")
    visible_s: str | None = Field(
        None,
        description="Seconds that the answer was on screen before the user's next act, counted from its first token;"
        " not a sum over later visits.",
    )
    visible_ms: str | None = Field(None, description="The same in milliseconds.")
    status: str | None = Field(None, description="How the answer ended; see `statuses`.")
    vote: str | None = Field(None, description="The vote on the answer; see `votes`.")
    voted_at: str | None = Field(
        None, description="When the vote was cast; unset: it is dated to the end of the answer."
    )
    comment: str | None = Field(None, description="A comment that came with the vote.")
    counters: dict[EventKind, str] = Field(
        default_factory=dict,
        description="Columns that count acts on the answer, or say whether there was one, by event.",
    )
    times: dict[EventKind, str] = Field(
        default_factory=dict, description="Columns that hold when an act happened, by event; an empty cell is no act."
    )

    @model_validator(mode="after")
    def _sensible(self) -> "Columns":
        if any(kind in _NO_COUNT for kind in self.counters):
            raise ValueError("a count of `visible` or `hidden` says nothing without times; declare visible_s or times")
        if self.visible_s is not None and self.visible_ms is not None:
            raise ValueError("declare either visible_s or visible_ms")
        return self

    def declared(self) -> Iterator[tuple[str, str]]:
        """Each place in this mapping that names a column, and the column."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, str):
                yield name, value
            elif isinstance(value, dict):
                for kind, column in value.items():
                    yield f"{name}.{kind}", column
