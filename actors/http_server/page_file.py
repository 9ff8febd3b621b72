"""Files of a page: only the files in the folder `page` of its package."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from aiohttp import web

PATTERN = r"/page/{name:[a-z_]+\.(?:css|js|svg)}"
"""Route of everything but `index.html`."""
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def page_file(package: str, name: str, headers: Mapping[str, str]) -> web.Response:
    """The file of the given name.

    Raises:
        aiohttp.web.HTTPNotFound: the file does not exist.
    """
    source, kind = files(package) / "page" / name, _TYPES.get(name.rpartition(".")[2])
    if kind is None or "/" in name or not source.is_file():
        raise web.HTTPNotFound()
    return web.Response(body=source.read_bytes(), content_type=kind, charset="utf-8", headers=headers)
