"""Detections as scores of Langfuse: bodies of its public API's `POST /api/public/scores`, one a line.

A score is on exactly one thing. By default that is the session whose id is the conversation's; `on_reply` puts it on
the trace whose id is the reply's, which is right for logs in which a message is a trace. Sending a score again
replaces it, since its id is the detection's.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

_METADATA = ("signal_id", "exchange_id", "message_id", "trigger_message_id", "source", "model", "threshold", "primary")


def scores(detections: Iterable[dict[str, Any]], *, on_reply: bool = False) -> Iterator[str]:
    """Write one body a detection.

    Args:
        detections: Rows as `pipelines.exports.detections` reads them.
        on_reply: Put the score on the trace of the reply, where the reply has an id.

    Yields:
        Lines of JSON, without their ends.
    """
    for row in detections:
        on_trace = on_reply and row["message_id"] is not None
        body = {
            "id": row["signal_id"],
            **({"traceId": row["message_id"]} if on_trace else {"sessionId": row["conversation_id"]}),
            "name": row["signal"],
            "value": row["score"],
            "dataType": "NUMERIC",
            "comment": f"rule {row['rule']}, version {row['rule_version']}",
            "metadata": {name: row[name] for name in _METADATA if row[name] is not None},
        }
        yield json.dumps(body, ensure_ascii=False)
