"""Assistants that answer in a channel: the trackers of Rasa and the webhooks of Chatwoot."""

import json
from collections.abc import Mapping
from typing import Any

from formats.packed import database, document, lines
from formats.told import Talk, hexed, iso, number, uuid

from schemas.enums import Role

Files = dict[str, bytes]


def rasa(talks: Mapping[str, Talk]) -> Files:
    """A tracker of the API, and the SQL tracker store of another assistant."""
    talk = talks["f-dough"]
    events = _rasa_events(talk)
    tracker = {
        "sender_id": uuid("rasa", talk.key),
        "slots": {"session_started_metadata": None},
        "latest_message": {},
        "latest_event_time": events[-1]["timestamp"],
        "followup_action": None,
        "paused": False,
        "events": events,
        "latest_input_channel": "rest",
        "active_loop": {},
    }
    rows = [
        {
            "sender_id": uuid("rasa", key),
            "type_name": event["event"],
            "timestamp": event["timestamp"],
            "intent_name": "ask" if event["event"] == "user" else None,
            "action_name": event.get("name"),
            "data": json.dumps(event, ensure_ascii=False),
        }
        for key in ("f-reminder", "f-cat")
        for event in _rasa_events(talks[key])
    ]
    declared = (
        "id INTEGER PRIMARY KEY, sender_id VARCHAR(255) NOT NULL, type_name VARCHAR(255) NOT NULL, timestamp FLOAT,"
        " intent_name VARCHAR(255), action_name VARCHAR(255), data TEXT"
    )
    return {"rasa/tracker.json": document(tracker), "rasa/rasa.db": database({"events": (declared, rows)})}


def _rasa_events(talk: Talk) -> list[dict[str, Any]]:
    begun = talk.said[0].start.timestamp()
    events: list[dict[str, Any]] = [
        {"event": "action", "timestamp": begun - 0.2, "metadata": {}, "name": "action_session_start", "policy": None},
        {"event": "session_started", "timestamp": begun - 0.1, "metadata": {}},
    ]
    for said in talk.path:
        if said.role is Role.USER:
            parsed = {"intent": {"name": "ask", "confidence": 0.91}, "entities": [], "text": said.text}
            events.append({"event": "user", "timestamp": said.start.timestamp(), "metadata": {}, "text": said.text,
                           "parse_data": parsed, "input_channel": "rest",
                           "message_id": hexed(32, "rasa", talk.key, said.key)})  # fmt: skip
        else:
            events.append({"event": "bot", "timestamp": said.end.timestamp(), "metadata": {"utter_action": "utter"},
                           "text": said.text, "data": {"elements": None, "buttons": None}})  # fmt: skip
            events.append({"event": "action", "timestamp": said.end.timestamp() + 0.01, "metadata": {},
                           "name": "action_listen", "policy": None})  # fmt: skip
    return events


def chatwoot(talks: Mapping[str, Talk]) -> Files:
    """What the webhook of an account was sent, a body a line."""
    bodies = []
    for n, key in enumerate(("f-dough", "f-reminder", "f-parcel"), 41):
        talk = talks[key]
        contact = {"id": number("contact", talk.user), "name": "Petra Lindqvist", "type": "contact",
                   "email": "petra.lindqvist@example.com", "phone_number": "+447700900123"}  # fmt: skip
        for said in talk.path:
            user = said.role is Role.USER
            bot = {"id": 7, "name": "Harbour Bot", "type": "agent_bot"}
            bodies.append(
                {
                    "event": "message_created",
                    "id": number("chatwoot", key, said.key),
                    "content": said.text,
                    "created_at": iso(said.end),
                    "message_type": "incoming" if user else "outgoing",
                    "content_type": "text",
                    "private": False,
                    "content_attributes": {},
                    "source_id": None,
                    "sender": contact if user else bot,
                    "inbox": {"id": 3, "name": "Website"},
                    "conversation": {
                        "id": n,
                        "inbox_id": 3,
                        "channel": "Channel::WebWidget",
                        "status": "open",
                        "contact_inbox": {"contact_id": contact["id"]},
                        "meta": {"sender": contact},
                    },
                    "account": {"id": 2, "name": "Harbour Shop"},
                }
            )
    return {"chatwoot/webhooks.jsonl": lines(bodies)}
