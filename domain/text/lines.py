"""Lines of a text, and a lossless text form of a file's bytes."""

from __future__ import annotations


def decode_text(data: bytes) -> str:
    """Text that keeps every byte."""
    return data.decode("utf-8", "surrogateescape")


def encode_text(*parts: str) -> bytes:
    """The bytes of text from `decode_text`."""
    return "".join(parts).encode("utf-8", "surrogateescape")


def valid(text: str) -> str:
    """Text from `decode_text`, with a replacement character for each byte that is not text."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends a line."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def one_line(text: str) -> str:
    """A text fit for a bullet: in a single line, without superfluous blanks or another bullet."""
    words = " ".join(text.split())
    while words[:2] in ("- ", "* ", "+ "):
        words = words[2:]
    return "" if words in ("-", "*", "+") else words
