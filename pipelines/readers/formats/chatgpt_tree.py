"""One conversation of a ChatGPT export: from the tree of its nodes to messages with parents."""

from collections.abc import Iterator
from typing import Any

from pipelines.readers import fields
from pipelines.readers.fields import Record, Refused
from pipelines.readers.format import Context
from pipelines.readers.formats.chatgpt_node import Piece, read_node
from pipelines.readers.items import Item
from pipelines.readers.raw import Refusal
from pipelines.readers.sources import ReplyTime
from pipelines.readers.trees import newest_leaf, numbered, reachable, upwards
from schemas.enums import Role, Status
from schemas.flags import Flag
from schemas.ids import content_id
from schemas.reasons import Reason
from schemas.records import Message


def conversation_items(record: Record, flags: tuple[str, ...], context: Context) -> Iterator[Item]:
    """Read one conversation.

    Args:
        record: An element of `conversations.json`.
        flags: What was mended in it.
        context: As for every reader.

    Yields:
        Its messages in file order, and after each what of it could not be taken; last, the messages that hang on
        nothing.

    Raises:
        Refused: It has no tree, or an id that is none.
    """
    nodes = _nodes(record)
    parents = _parents(nodes)
    tree = reachable(parents)
    conversation = _conversation(record, nodes, tree)
    user, found = _user(record)
    pieces, refused = _pieces(nodes, tree, context)
    _settle(tree, pieces)
    shown = _above(tree, {key: piece.shown for key, piece in pieces.items()})
    times = {key: pieces[key].at for key in nodes if key in pieces and pieces[key].kept}
    active, inferred = _active(record, tree, times)
    numbers = numbered(tree, active) if None in times.values() else {}
    ids = _ids(nodes, pieces)
    yield from found
    for key in nodes:
        if key in times:
            piece, above = pieces[key], shown[key]
            marks = ((Flag.OFF_BRANCH.value,) if key not in active else ()) + (
                (Flag.PATH_INFERRED.value,) if inferred else ()
            )
            made = piece.at if piece.role is Role.ASSISTANT else None
            late = made is not None and context.source.reply_time in (ReplyTime.LAST_TOKEN, ReplyTime.STORED)
            yield Message(
                source=context.name,
                conversation_id=conversation,
                message_id=ids[key],
                parent_id=ids[above] if above is not None else None,
                seq=numbers.get(key),
                role=piece.role,
                content=piece.text,
                created_at=None if late else piece.at,
                completed_at=made if late else None,
                status=piece.status,
                user_id=user,
                model=piece.model,
                has_attachment=piece.has_attachment,
                aliases=(key,) if key != ids[key] and _is_id(key) else (),
                flags=flags + piece.flags + marks,
            )
        yield from refused.get(key, ())
    for place, (key, node) in enumerate(nodes.items()):
        if key not in tree and type(node) is dict and node.get("message") is not None:
            yield Refusal(Reason.BROKEN_TREE, f"mapping[{place}].parent")


def _user(record: Record) -> tuple[str | None, list[Refusal]]:
    try:
        return fields.text(record, "user_id"), []
    except Refused as refused:
        return None, [refused.refusal()]


def _nodes(record: Record) -> dict[str, Any]:
    """Nodes by key, in file order. Some copies of an export hold them as a list."""
    mapping = record["mapping"]
    if type(mapping) is dict:
        return mapping
    nodes: dict[str, Any] = {}
    for place, node in enumerate(fields.as_list(mapping, "mapping")):
        key = node.get("id") if type(node) is dict else None
        nodes[key if type(key) is str and key not in nodes else f"\x1f{place}"] = node
    return nodes


def _parents(nodes: dict[str, Any]) -> dict[str, str | None]:
    """The parent that each node names; where a node has no such key, the one that names it as a child."""
    claimed: dict[str, str] = {}
    for key, node in nodes.items():
        children = node.get("children") if type(node) is dict else None
        for child in children if type(children) is list else ():
            if type(child) is str:
                claimed.setdefault(child, key)
    parents: dict[str, str | None] = {}
    for key, node in nodes.items():
        parent = node.get("parent", claimed.get(key)) if type(node) is dict else claimed.get(key)
        parents[key] = parent if parent is None or type(parent) is str else f"\x1f{key}"  # names no node
    return parents


def _conversation(record: Record, nodes: dict[str, Any], tree: dict[str, str | None]) -> str:
    given = [key for key in ("conversation_id", "id") if record.get(key) is not None]
    for key in given:
        if key == given[-1] or _is_id(record[key]):
            return fields.need_id(record, key)
    firsts: list[str] = []
    within: set[str | None] = {None}
    for key, parent in tree.items():
        if parent in within:
            node = nodes[key]
            if type(node) is dict and node.get("message") is not None:
                firsts.append(key)
            else:
                within.add(key)
    if nodes and not firsts:
        raise Refused(Reason.MISSING_KEY, "conversation_id")
    return content_id("chatgpt", min(firsts, default=""))


def _pieces(
    nodes: dict[str, Any], tree: dict[str, str | None], context: Context
) -> tuple[dict[str, Piece], dict[str, list[Refusal]]]:
    """The messages of the tree, parents first; and what could not be taken, by node."""
    places = {key: f"mapping[{place}]" for place, key in enumerate(nodes)}
    pieces: dict[str, Piece] = {}
    refused: dict[str, list[Refusal]] = {}
    for key in tree:
        node = nodes[key]
        if node is None or (type(node) is dict and node.get("message") is None):
            continue
        inside = places[key]
        try:
            message = fields.as_object(fields.as_object(node, "")["message"], "message")
            inside += ".message"
            piece = read_node(key, message, context.clock)
        except Refused as fault:
            refused[key] = [fault.refusal(places[key] if fault.field == "message" else inside)]
            continue
        if piece is not None:
            pieces[key] = piece
            refused[key] = [Refusal(f.reason, f"{inside}.{f.field}") for f in piece.faults]
    return pieces, refused


def _settle(tree: dict[str, str | None], pieces: dict[str, Piece]) -> None:
    """Decide how the unfinished ended, which depends on what came after them."""
    said = _above(tree, {key: piece.role is not Role.SYSTEM for key, piece in pieces.items()})
    went_on = {said[key] for key, piece in pieces.items() if piece.role not in (Role.USER, Role.SYSTEM)}
    for key, piece in pieces.items():
        if piece.unfinished:
            piece.status = Status.PARTIAL if key in went_on else Status.STOPPED
        if piece.spoken_by_model and piece.status is Status.STOPPED and not piece.shown and key not in went_on:
            # The user stopped it while it thought or looked something up: a reply of which nothing was shown.
            piece.role, piece.text, piece.kept, piece.flags = Role.ASSISTANT, None, True, ()


def _above(tree: dict[str, str | None], wanted: dict[str, bool]) -> dict[str, str | None]:
    """For each node, parents first: the nearest node above it that is wanted."""
    above: dict[str, str | None] = {}
    for key, parent in tree.items():
        if parent is None or wanted.get(parent):
            above[key] = parent
        else:
            above[key] = above[parent]
    return above


def _active(record: Record, tree: dict[str, str | None], times: dict[str, Any]) -> tuple[set[str], bool]:
    """The keys of the active path, and whether the export left it to be inferred."""
    current = record.get("current_node")
    stated = type(current) is str and current in tree
    leaf = current if stated else newest_leaf(tree, times)
    return set(upwards(tree, leaf)), not stated


def _ids(nodes: dict[str, Any], pieces: dict[str, Piece]) -> dict[str, str]:
    """Message ids by node. An id that a second node repeats stays with the first."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for key in nodes:
        if key in pieces:
            wanted = pieces[key].message_id
            ids[key] = wanted if wanted not in taken else content_id("chatgpt", key, wanted)
            taken.add(ids[key])
    return ids


def _is_id(value: Any) -> bool:
    try:
        fields.need_id({"id": value}, "id")
    except Refused:
        return False
    return True
