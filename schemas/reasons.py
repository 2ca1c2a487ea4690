"""Why a record was refused. A reason names the fault, never the value."""

from enum import StrEnum


class Reason(StrEnum):
    """Reason codes of the quarantine."""

    FILE_UNREADABLE = "file_unreadable"
    FILE_UNSUPPORTED = "file_unsupported"
    FORMAT_UNKNOWN = "format_unknown"
    MEMBER_UNSAFE = "member_unsafe"
    EXPANDS_TOO_FAR = "expands_too_far"
    RECORD_TOO_LARGE = "record_too_large"
    RECORD_TOO_DEEP = "record_too_deep"
    NOT_UTF8 = "not_utf8"
    INVALID_JSON = "invalid_json"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_KIND = "unknown_kind"
    MISSING_KEY = "missing_key"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_VALUE = "unknown_value"
    BAD_ID = "bad_id"
    BROKEN_TREE = "broken_tree"
    NAIVE_TIME = "naive_time"
    BAD_TIME = "bad_time"
    TIME_OUT_OF_RANGE = "time_out_of_range"
    NOT_SCANNED = "not_scanned"
    READER_FAULT = "reader_fault"


MEANING: dict[Reason, str] = {
    Reason.FILE_UNREADABLE: "the file ends early or is damaged; the records before the damage were read",
    Reason.FILE_UNSUPPORTED: "no reader takes a file of this name, of its compression, or so large a one of its kind",
    Reason.FORMAT_UNKNOWN: "the file holds JSON or a table, but no reader recognises what it says",
    Reason.MEMBER_UNSAFE: "a member of an archive leads out of it, is a link, encrypted, an archive, or not the only"
    " one of its name or bytes",
    Reason.EXPANDS_TOO_FAR: "the file expands as only a compressed bomb does; what came before was read",
    Reason.RECORD_TOO_LARGE: "the record is longer than the configured limit",
    Reason.RECORD_TOO_DEEP: "the record is nested deeper than the reader follows",
    Reason.NOT_UTF8: "the record is not UTF-8",
    Reason.INVALID_JSON: "the record is not JSON, or is cut off",
    Reason.NOT_AN_OBJECT: "the record is JSON but not an object",
    Reason.UNKNOWN_KIND: "`kind` is neither `message` nor `event`",
    Reason.MISSING_KEY: "a required key is missing",
    Reason.WRONG_TYPE: "a key holds a value of another type than the format states",
    Reason.UNKNOWN_VALUE: "a role, status or event is not one of those that the format lists",
    Reason.BAD_ID: "an id is empty, longer than 512 characters, or holds control characters",
    Reason.BROKEN_TREE: "a message stands in a loop of parents, or below one that is not there",
    Reason.NAIVE_TIME: "a time states no zone, and none is declared for its source",
    Reason.BAD_TIME: "a time is none: neither RFC 3339 nor an epoch",
    Reason.TIME_OUT_OF_RANGE: "a time lies before 2015 or more than a day after the day of arrival",
    Reason.NOT_SCANNED: "the text could not be scanned for personal data, so it was withheld",
    Reason.READER_FAULT: "the reader failed on the record, which is a fault in Tacit: please report it",
}
