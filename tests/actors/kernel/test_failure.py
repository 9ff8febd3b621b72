from __future__ import annotations

import re

from actors.kernel.failure import SUMMARY_CHARS, summary, trace


def catch_deep(depth: int = 0) -> BaseException:
    def fall(left: int) -> None:
        if left:
            fall(left - 1)
        raise ValueError("deep")

    try:
        fall(depth)
    except ValueError as error:
        return error
    raise AssertionError


def test_a_summary_is_one_line_of_bounded_length() -> None:
    assert summary(ValueError("two\nlines")) == "ValueError: two lines"
    assert len(summary(ValueError("x" * 1000))) == SUMMARY_CHARS


def test_a_trace_shows_file_line_and_code_innermost_last() -> None:
    lines = trace(catch_deep()).splitlines()

    assert lines[0] == "Traceback (most recent call last):"
    assert re.search(r'test_failure.py", line \d+, in catch_deep', lines[1])
    assert lines[-2:] == ['    raise ValueError("deep")', "ValueError: deep"]


def test_a_trace_keeps_the_innermost_frames_of_a_deep_one() -> None:
    text = trace(catch_deep(500))

    assert text.count("File") == 20
    assert "in catch_deep" not in text


def test_a_trace_names_the_causes_first() -> None:
    try:
        try:
            raise OSError("root")
        except OSError as error:
            raise ValueError("outer") from error
    except ValueError as error:
        text = trace(error)

    assert text.index("OSError: root") < text.index("Which caused:") < text.index("ValueError: outer")


def test_a_trace_names_what_was_being_handled_unless_that_was_suppressed() -> None:
    def fail(*, suppress: bool) -> str:
        try:
            try:
                raise OSError("first")
            except OSError:
                if suppress:
                    raise ValueError("second") from None
                raise ValueError("second")  # noqa: B904
        except ValueError as error:
            return trace(error)

    assert "OSError: first" in fail(suppress=False)
    assert "During the handling of which came:" in fail(suppress=False)
    assert "OSError" not in fail(suppress=True)


def test_a_ring_of_causes_and_an_endless_chain_end() -> None:
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert trace(one).count("Traceback") == 2
    chain = error = ValueError("0")
    for n in range(100):
        error.__cause__ = error = ValueError(str(n))

    assert trace(chain).count("Traceback") == 4
    assert not trace(chain).startswith("\n")
