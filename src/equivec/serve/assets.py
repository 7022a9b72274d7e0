"""The files of the web page, read once: no path of a request ever reaches the file system."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files

_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FIRST_PAGE = "index.html"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the page as it is sent."""

    content: bytes
    media_type: str
    tag: str


def load_assets() -> dict[str, Asset]:
    """The path of each file of the page, and the file.

    >>> sorted(load_assets())[:2]
    ['/', '/page/analogy.js']
    """
    assets = {}
    for file in files("equivec.serve").joinpath("page").iterdir():
        ending = file.name[file.name.rfind(".") :]
        if ending in _MEDIA_TYPES:
            content = file.read_bytes()
            tag = f'"{blake2b(content, digest_size=8).hexdigest()}"'
            path = "/" if file.name == _FIRST_PAGE else f"/page/{file.name}"
            assets[path] = Asset(content, _MEDIA_TYPES[ending], tag)
    return assets
