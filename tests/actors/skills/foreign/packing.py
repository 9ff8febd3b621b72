"""Skills in archives, as tests pack them: names, modes and kinds of any sort."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

SKILL = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n"
TEA: Mapping[str, bytes] = {
    "tea/SKILL.md": SKILL.encode(),
    "tea/scripts/boil.py": b"#!/usr/bin/env python3\nprint('hot')\n",
    "tea/references/leaves.md": b"# Leaves\n",
}


def write_folder(folder: Path, files: Mapping[str, bytes] = TEA) -> Path:
    """The files below a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def write_zip(path: Path, files: Mapping[str, bytes] = TEA, modes: Mapping[str, int] | None = None) -> Path:
    """Zip file; a mode of 0 is that of a system without modes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            mode = (modes or {}).get(name, stat.S_IFREG | 0o644)
            info.create_system = 3 if mode else 0
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


def write_tar(
    path: Path, files: Mapping[str, bytes] = TEA, others: tuple[tarfile.TarInfo, ...] = (), mode: str = "w:gz"
) -> Path:
    """Tar file, with further entries that hold nothing."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in others:
            archive.addfile(info)
    return path


def entry(name: str, kind: bytes, target: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    """Entry of a tar file that is no file."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = target
    info.mode = mode
    return info
