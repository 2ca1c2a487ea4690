"""Archives made for tests, and what is found in them."""

import io
import warnings
import zipfile
from datetime import date

from pipelines.readers.containers.origin import Origin
from pipelines.readers.landing import origins

DAY = date(2026, 11, 2)


def member(name, mode=0, **more):
    info = zipfile.ZipInfo("x")
    info.filename = name
    info.external_attr = mode << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    for key, value in more.items():
        setattr(info, key, value)
    return info


def packed(*members):
    """An archive of (name or ZipInfo, content)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings(action="ignore"):
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def found(folder, data, name="export.zip"):
    """The log files and the findings of an archive in a landing zone."""
    (folder / name).write_bytes(data)
    everything = list(origins(folder.parent, DAY))
    files = [o for o in everything if isinstance(o, Origin)]
    return files, [f for f in everything if not isinstance(f, Origin)]


def reasons(findings):
    return [(f.line, f.refusal.reason) for _, f in findings]
