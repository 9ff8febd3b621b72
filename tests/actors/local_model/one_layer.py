"""File of a language model cut to its first layer: tokens and template of the whole one, at a thirtieth of its work."""

from __future__ import annotations

import io
import struct
from pathlib import Path

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Type of a value in GGUF -> its bytes."""
_TEXT, _ARRAY = 8, 9
_ALIGNMENT = 32


def cut_to_one_layer(whole: Path, into: Path) -> Path:
    """Write the first layer of a model in GGUF, with all that is no layer; returns the new file."""
    data = whole.read_bytes()
    file = io.BytesIO(data)
    magic, version, tensors, pairs = struct.unpack("<4sIQQ", file.read(24))
    assert (magic, version) == (b"GGUF", 3)
    metadata = bytearray()
    for _ in range(pairs):
        begin = file.tell()
        key = _read_text(file)
        kind = _read_number(file)
        if key.endswith(b".block_count"):
            metadata += data[begin : file.tell()] + struct.pack("<I", 1)
            file.seek(4, io.SEEK_CUR)
            continue
        _skip_value(file, kind)
        metadata += data[begin : file.tell()]
    infos = [_read_info(file) for _ in range(tensors)]
    start = _align(file.tell())
    ends = sorted([*(offset for _, _, offset in infos), len(data) - start])
    heads, body = bytearray(), bytearray()
    kept = [each for each in infos if not each[0].startswith(b"blk.") or each[0].startswith(b"blk.0.")]
    for name, shape, offset in kept:
        heads += struct.pack("<Q", len(name)) + name + shape + struct.pack("<Q", len(body))
        end = next(each for each in ends if each > offset)
        body += data[start + offset : start + end]
        body += bytes(_align(len(body)) - len(body))
    head = struct.pack("<4sIQQ", magic, version, len(kept), pairs) + metadata + heads
    into.write_bytes(head + bytes(_align(len(head)) - len(head)) + body)
    return into


def _read_number(file: io.BytesIO, form: str = "<I") -> int:
    return int(struct.unpack(form, file.read(struct.calcsize(form)))[0])


def _read_text(file: io.BytesIO) -> bytes:
    return file.read(_read_number(file, "<Q"))


def _skip_value(file: io.BytesIO, kind: int) -> None:
    if kind == _TEXT:
        _read_text(file)
    elif kind == _ARRAY:
        inner, count = _read_number(file), _read_number(file, "<Q")
        for _ in range(count):
            _skip_value(file, inner)
    else:
        file.seek(_SIZES[kind], io.SEEK_CUR)


def _read_info(file: io.BytesIO) -> tuple[bytes, bytes, int]:
    """(Name, shape and type as they stand, offset) of a tensor."""
    name, begin = _read_text(file), file.tell()
    dimensions = _read_number(file)
    file.seek(8 * dimensions + 4, io.SEEK_CUR)
    shape = _between(file, begin)
    return name, shape, _read_number(file, "<Q")


def _between(file: io.BytesIO, begin: int) -> bytes:
    end = file.tell()
    file.seek(begin)
    return file.read(end - begin)


def _align(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
