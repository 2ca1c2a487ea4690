"""Objects below one URL, by way of fsspec: S3 and whatever else has a file system there."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from schemas.errors import ConfigError, TacitError, WarehouseFault

# Which of these a file system states, it states for every object; each changes with the bytes.
_VERSIONS = ("ETag", "etag", "e_tag", "md5Hash", "content_md5", "generation", "mtime", "LastModified", "created")


class Store:
    """A tree of objects. Nothing is cached, so that what another machine wrote is seen at once.

    Args:
        url: Where it lies, such as `s3://bucket/prefix`.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")

    @cached_property
    def _place(self) -> tuple[Any, str]:
        scheme = urlsplit(self.url).scheme
        try:
            from fsspec.core import url_to_fs

            system, prefix = url_to_fs(self.url, use_listings_cache=False, skip_instance_cache=True)
        except (ImportError, ValueError) as fault:
            raise ConfigError(
                f"Object storage of the kind {scheme}:// cannot be reached: {type(fault).__name__}.",
                state="Nothing was read or written.",
                then="Install its file system: pip install s3fs for s3://; for others see the documentation of fsspec.",
            ) from None
        return system, prefix.rstrip("/")

    def listing(self, below: str = "") -> dict[str, str]:
        """The objects that there are.

        Args:
            below: Only those whose keys begin with this folder.

        Returns:
            Keys relative to the URL, each with a text that changes whenever the object is replaced.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses.
        """
        system, prefix = self._place
        with _named(f"Listing {self.url}"):
            system.invalidate_cache()
            root = f"{prefix}/{below}".rstrip("/")
            found = system.find(root, detail=True) if system.exists(root) else {}
        return {
            name.removeprefix(prefix).lstrip("/"): _version(info)
            for name, info in found.items()
            if info.get("type") == "file"
        }

    def get(self, key: str) -> bytes:
        """An object's bytes, as one request gives them: never a mixture of two versions.

        Args:
            key: Its key.

        Raises:
            FileNotFoundError: It is not there.
            WarehouseFault: The store cannot be reached, or refuses.
        """
        with _named(f"Reading {key} from {self.url}"):
            return bytes(self._place[0].cat_file(self._path(key)))

    def put(self, key: str, data: bytes) -> str:
        """Write an object, in place of one that is there. Readers see the old one or the new one.

        Args:
            key: Its key.
            data: Its bytes.

        Returns:
            Its version, as in a listing.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses. The old object is there, or the new one.
        """
        with _named(f"Writing {key} to {self.url}"):
            self._place[0].pipe_file(self._path(key), data)
            return _version(self._place[0].info(self._path(key)))

    def create(self, key: str, data: bytes) -> bool:
        """Write an object if there is none with its key.

        Args:
            key: Its key.
            data: Its bytes.

        Returns:
            Whether it was written. Of several writers at once one is told so.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses.
        """
        with _named(f"Writing {key} to {self.url}"):
            try:
                self._place[0].pipe_file(self._path(key), data, mode="create")
            except FileExistsError:
                return False
        return True

    def remove(self, key: str) -> None:
        """Remove an object, if it is there.

        Args:
            key: Its key.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses.
        """
        with _named(f"Removing {key} from {self.url}"):
            try:
                self._place[0].rm_file(self._path(key))
            except FileNotFoundError:
                return

    def _path(self, key: str) -> str:
        return f"{self._place[1]}/{key}"


def _version(info: dict[str, Any]) -> str:
    stated = next((str(info[name]) for name in _VERSIONS if info.get(name)), "")
    return f"{stated}/{info.get('size')}"


@contextmanager
def _named(doing: str) -> Iterator[None]:
    try:
        yield
    except (TacitError, FileNotFoundError):
        raise
    except Exception as fault:
        # Each file system has errors of its own, which may hold addresses and keys; their kind says enough.
        raise WarehouseFault(
            f"{doing} failed: {type(fault).__name__}.",
            state="The published tables are whole.",
            then="Check the address, the credentials and the network, then run the same command again.",
        ) from fault
