"""Objects below one URL, by way of fsspec: S3 and whatever else has a file system there."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from schemas.errors import ConfigError, TacitError, WarehouseBusy, WarehouseFault

# Which of these a file system states, it states for every object; each changes with the bytes.
_VERSIONS = ("ETag", "etag", "e_tag", "md5Hash", "content_md5", "generation", "mtime", "LastModified", "created")
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}
_FOLDERS = {"file", "local"}
_ATTEMPTS = 5


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
        if scheme in _FOLDERS:
            raise ConfigError(
                f"{scheme}:// names a folder, not object storage.",
                state="Nothing was read or written.",
                then="Give the folder itself, without the scheme.",
            )
        try:
            from fsspec.core import url_to_fs

            system, prefix = url_to_fs(self.url, use_listings_cache=False, skip_instance_cache=True)
        except (ImportError, ValueError) as fault:
            package = _PACKAGES.get(scheme)
            raise ConfigError(
                f"Object storage of the kind {scheme}:// cannot be reached: {type(fault).__name__}.",
                state="Nothing was read or written.",
                then=f"Install its file system: pip install {package}"
                if package
                else "Install the package of fsspec that knows it, or correct the address.",
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
            found = system.find(f"{prefix}/{below}".rstrip("/"), detail=True)
        return {
            name.removeprefix(prefix).lstrip("/"): _version(info)
            for name, info in found.items()
            if info.get("type") == "file"
        }

    def fetch(self, key: str, path: Path) -> str:
        """Copy an object into a file: all of one version, whatever is written meanwhile.

        A file system may ask for the parts of a long object one by one, and after an error for the rest of it. So the
        version is looked at before and after, and the copy made again where the two differ.

        Args:
            key: Its key.
            path: The file. What is in it before counts for nothing.

        Returns:
            The object's version, as in a listing.

        Raises:
            FileNotFoundError: It is not there.
            WarehouseBusy: It was replaced during every attempt.
            WarehouseFault: The store cannot be reached, or refuses.
        """
        system, _ = self._place
        for _ in range(_ATTEMPTS):
            with _named(f"Reading {key} from {self.url}", may_lack=True):
                before = self._version_of(key)
                system.get_file(self._path(key), str(path))
                if self._version_of(key) == before:
                    return before
        raise WarehouseBusy(
            f"{key} was replaced in {self.url} during every attempt to read it.",
            state="Nothing was changed.",
            then="Repeat the command once the run that publishes has ended.",
        )

    def get(self, key: str) -> bytes:
        """The bytes of a small object.

        Args:
            key: Its key.

        Raises:
            FileNotFoundError: It is not there.
            WarehouseFault: The store cannot be reached, or refuses.
        """
        with _named(f"Reading {key} from {self.url}", may_lack=True):
            return bytes(self._place[0].cat_file(self._path(key)))

    def upload(self, key: str, path: Path) -> None:
        """Write a file as an object, in place of one that is there. Readers see the old one or the new one.

        Args:
            key: Its key.
            path: The file.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses. The old object is there, or the new one.
        """
        with _named(f"Writing {key} to {self.url}"):
            self._place[0].put_file(str(path), self._path(key))

    def put(self, key: str, data: bytes) -> None:
        """Write a small object, in place of one that is there.

        Args:
            key: Its key.
            data: Its bytes.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses.
        """
        with _named(f"Writing {key} to {self.url}"):
            self._place[0].pipe_file(self._path(key), data)

    def create(self, key: str, data: bytes) -> bool:
        """Write a small object if there is none with its key.

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

    def sweep(self) -> int:
        """Remove the parts of uploads that were cut off: no listing shows them, and a bill does.

        Only S3 keeps them; other stores let them expire. Call it under the writer's lock.

        Returns:
            The number of uploads.

        Raises:
            WarehouseFault: The store cannot be reached, or refuses.
        """
        system, prefix = self._place
        if not hasattr(system, "list_multipart_uploads"):
            return 0
        bucket, _, folder = prefix.partition("/")
        with _named(f"Sweeping {self.url}"):
            begun = [
                u for u in system.list_multipart_uploads(bucket) if not folder or u["Key"].startswith(f"{folder}/")
            ]
            for upload in begun:
                system.abort_mpu(bucket, upload["Key"], upload["UploadId"])
        return len(begun)

    def _version_of(self, key: str) -> str:
        return _version(self._place[0].info(self._path(key)))

    def _path(self, key: str) -> str:
        return f"{self._place[1]}/{key}"


def _version(info: dict[str, Any]) -> str:
    stated = next((str(info[name]) for name in _VERSIONS if info.get(name)), "")
    return f"{stated}/{info.get('size')}"


@contextmanager
def _named(doing: str, *, may_lack: bool = False) -> Iterator[None]:
    try:
        yield
    except TacitError:
        raise
    except Exception as fault:
        if may_lack and isinstance(fault, FileNotFoundError):
            raise
        lacks = isinstance(fault, FileNotFoundError)
        # Each file system has errors of its own, which may hold addresses and keys; their kind says enough.
        raise WarehouseFault(
            f"{doing} failed: {'there is no such bucket' if lacks else type(fault).__name__}.",
            state="The published tables are whole.",
            then="Make the bucket, or correct the address."
            if lacks
            else "Check the address, the credentials and the network, then run the same command again.",
        ) from fault
