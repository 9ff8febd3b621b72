"""Licences of all locked packages, as SPDX expressions: `bin/lock --licences` writes `docs/licences.md`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from email import message_from_string
from importlib import metadata

from tests.supply.locks import DEV, ROOT, RUN, locked

PAGE = ROOT / "docs" / "licences.md"
HEAD = """\
# Licences

Remembrancer is under the MIT licence; the packages that it uses are under these, named by their SPDX expressions.
Written by `bin/lock --licences` from the locks and the packages' own metadata; do not edit.
`bin/lock --sbom` prints a bill of materials with the same licences.
The tests' packages are not installed with the agent.
"""
KNOWN = {
    "apsw": "Zlib",  # or any licence that OSI approves, at the user's choice
    "audioop-lts": "PSF-2.0",
    "axe-playwright-python": "MIT",
    "colorama": "BSD-3-Clause",
    "fastuuid": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "pyasn1-modules": "BSD-2-Clause",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "sqlite-vec": "MIT OR Apache-2.0",
    "tqdm": "MPL-2.0 AND MIT",
}
"""Licences of packages whose metadata names none exactly, or that are for other systems; read in their own texts."""
_WORDS = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "The MIT License (MIT)": "MIT",
}
"""Words of older metadata -> SPDX."""
IDS = frozenset(
    [
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "LGPL-2.0-or-later"),
        *("MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Zlib"),
    ]
)
"""SPDX identifiers of licences that were looked at; none of them asks anything of the agent's own code."""


def licence_of(name: str) -> str:
    """Licence of a package; empty if its metadata names none and `KNOWN` neither."""
    if name in KNOWN:
        return KNOWN[name]
    try:
        return named_in(metadata.distribution(name).read_text("METADATA") or "")
    except metadata.PackageNotFoundError:
        return ""


def named_in(fields: str) -> str:
    """Licence that a package's metadata names, as SPDX expression; empty for none that is in `IDS`."""
    message = message_from_string(fields)
    classifiers = [text.rpartition(" :: ")[2] for text in message.get_all("Classifier", ()) if "License ::" in text]
    words = [message.get("License-Expression", ""), message.get("License", "").partition("\n")[0], *classifiers]
    return next((_WORDS.get(word, word) for word in words if _is_known(_WORDS.get(word, word))), "")


def _is_known(expression: str) -> bool:
    return expression != "" and ids_of(expression) <= IDS


def ids_of(expression: str) -> set[str]:
    """Identifiers in an SPDX expression."""
    return {word.strip("()") for word in expression.split()} - {"AND", "OR"}


def licences() -> dict[str, tuple[str, str]]:
    """Package of the locks -> its licence, and the lock that brings it."""
    layers = {package.name: layer for layer in (DEV, RUN) for package in locked(layer)}
    return {name: (licence_of(name), layers[name]) for name in sorted(layers)}


def page(found: Mapping[str, tuple[str, str]]) -> str:
    """The page, in Markdown."""
    titles = {RUN: "The agent", DEV: "Tests and development only"}
    lines = [HEAD]
    for layer, title in titles.items():
        of_layer = {name: licence for name, (licence, brings) in found.items() if brings == layer}
        lines += [f"## {title}\n", "| package | licence |\n|---|---|"]
        lines += [*(f"| {name} | {licence} |" for name, licence in of_layer.items()), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if nameless := [name for name, (licence, _) in licences().items() if not licence]:
        sys.exit(
            f"no licence is known of {', '.join(nameless)}: look it up, and write it into tests/supply/licences.py"
        )
    PAGE.write_text(page(licences()), encoding="utf-8")
