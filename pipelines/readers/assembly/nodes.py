"""The turns of one conversation as a tree, and the native message that each of them becomes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pipelines.readers.items import Turn
from pipelines.readers.raw import Place
from schemas.enums import Role, Status
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.records import Message


@dataclass(slots=True, eq=False)
class Node:
    """One turn.

    Attributes:
        turn: Its words, as they were first logged.
        key: Their key; one that nothing matches where they were not captured.
        place: Where they were first logged.
        parent: The turn before it.
        salt: Tells it from another turn with the same words after the same turn.
        rooted: Its id does not depend on the turns before it.
        sent_at: When it went in.
        first_at: When its first token came out.
        ended_at: When its last token came out.
        logged: A logged call sent it as its request or made it; else it is known from a history only.
        made: A logged call made it.
        missing: Its words were not captured.
        children: The turns after it, by key; of several with the same words the first.
        uncaptured: The replies to it whose words were not captured.
        id: Its message id, once `named` has run.
    """

    turn: Turn
    key: str
    place: Place
    parent: "Node | None"
    user_id: str | None = None
    salt: str | None = None
    rooted: bool = False
    sent_at: datetime | None = None
    first_at: datetime | None = None
    ended_at: datetime | None = None
    status: Status = Status.OK
    model: str | None = None
    logged: bool = False
    made: bool = False
    missing: bool = False
    flags: tuple[str, ...] = ()
    aliases: dict[str, None] = field(default_factory=dict)
    children: "dict[str, Node]" = field(default_factory=dict)
    uncaptured: "list[Node]" = field(default_factory=list)
    chain: str = ""
    id: str = ""

    @property
    def role(self) -> Role:
        """Whose it is."""
        return self.turn.role

    def above(self, key: str) -> "Node | None":
        """The turn before it that a history would hold in front of it, given the key that the history has there.

        Histories often leave out the steps of tools, so what stands between is passed over: any step where the history
        has a turn of the user, and steps without words where it has a reply.
        """
        node, user, tool = self.parent, key.startswith(Role.USER), key.startswith(Role.TOOL)
        while node is not None and node.key != key:
            if node.role is Role.USER or node.missing:
                break
            if not user and (tool if node.role is Role.TOOL else node.turn.text):
                break
            node = node.parent
        return node


def name(nodes: Sequence[Node], scope: str) -> None:
    """Give each turn its id: the source's own, else a digest of the words of the chain up to and with it.

    Args:
        nodes: All turns of a conversation, parents before their children.
        scope: Digest of the conversation's id.
    """
    taken: set[str] = set()
    for node in nodes:
        before = scope if node.parent is None or node.rooted else node.parent.chain
        node.chain = content_id(before, node.key, node.salt)
        node.id = node.turn.message_id or node.chain
        while node.id in taken:
            node.id = content_id(node.id, node.chain)
        taken.add(node.id)


def messages(nodes: Sequence[Node], source: str, conversation_id: str | None, *, timed: bool) -> Iterator[Message]:
    """The native messages.

    Args:
        nodes: All turns of a conversation, named.
        source: Product or application.
        conversation_id: The conversation; None for a user's stream.
        timed: Whether any call of the conversation states a time; else the order is numbered.
    """
    for seq, node in enumerate(nodes):
        flags = (*node.turn.flags, *node.flags, *(() if node.logged else (Flag.RESTATED.value,)))
        yield Message(
            source=source,
            conversation_id=conversation_id,
            message_id=node.id,
            parent_id=None if node.parent is None else node.parent.id,
            seq=None if timed else seq,
            role=node.role,
            content=node.turn.text,
            created_at=node.first_at if node.made else node.sent_at,
            completed_at=node.ended_at,
            status=node.status,
            user_id=node.user_id,
            model=node.model,
            has_attachment=node.turn.has_attachment,
            aliases=tuple(node.aliases),
            flags=tuple(dict.fromkeys(flags)),
        )
