"""Every error that Tacit raises on purpose.

A message says what happened, what state things are in, and what to run next. It never holds a value from the data.
"""


class TacitError(Exception):
    """The root of all errors that a user can act on.

    Args:
        what: What happened.
        state: What state things are in now.
        then: What to run or change next.
    """

    code = "error"

    def __init__(self, what: str, *, state: str, then: str) -> None:
        super().__init__(what, state, then)
        self.what, self.state, self.then = what, state, then

    def __str__(self) -> str:
        return f"{self.what} {self.state} {self.then}"

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process boundaries by pickling; keyword-only arguments need this help.
        return _rebuild, (type(self), self.what, self.state, self.then)


def _rebuild(kind: type[TacitError], what: str, state: str, then: str) -> TacitError:
    return kind(what, state=state, then=then)


class ConfigError(TacitError):
    """A setting is unknown, missing or out of range."""

    code = "config"


class KeyFault(TacitError):
    """The pseudonym key is missing, unreadable, readable by others, or weak."""

    code = "key"


class LandingError(TacitError):
    """The landing zone or one of its days is not there, or changed while it was read."""

    code = "landing"


class AnonymizeError(TacitError):
    """The de-identifier cannot start: a model or a required recognizer is missing."""

    code = "anonymize"


class CountMismatch(TacitError):
    """Records in are not records out plus duplicates plus quarantined."""

    code = "count_mismatch"


class CheckFailed(TacitError):
    """A check of severity `fail` did not pass; nothing was published."""

    code = "check_failed"


class ContractBroken(TacitError):
    """A frame or a file does not match the contract of its table."""

    code = "contract"


class WarehouseBusy(TacitError):
    """Another run holds the warehouse, or published while this one was computing."""

    code = "busy"


class WarehouseFault(TacitError):
    """The warehouse holds a torn or foreign file, or cannot be written."""

    code = "warehouse"


class QueryRefused(TacitError):
    """A query writes, reaches outside the warehouse, or does not parse."""

    code = "query"


class Fault(TacitError):
    """An error that nobody foresaw, described by its kind and place: its own message could quote the data."""

    code = "fault"


class NotFound(TacitError):
    """An id that the user named is not in the warehouse."""

    code = "not_found"


class ErasureFault(TacitError):
    """Rows of an erased user are left in the tables."""

    code = "erasure"
