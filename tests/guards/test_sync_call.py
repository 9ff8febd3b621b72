from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from tests.guards.of_syncs import SYNCS, TESTS
from tests.guards.sync_call import all_sync_calls, sync_calls


@pytest.mark.req("X-240")
def test_every_sync_of_the_product_stands_in_a_row_with_its_test() -> None:
    calls, rows = {call.title for call in all_sync_calls()}, set(TESTS)
    assert sorted(calls - rows) == [], "these syncs need a row in tests/guards/of_syncs.py, with a test that falls"
    assert sorted(rows - calls) == [], "these rows have no sync any more"
    assert len(SYNCS) == len(calls)


def test_every_file_is_python_without_its_sync() -> None:
    for call in SYNCS:
        assert call.without(call.text()) != call.text(), call.title
        ast.parse(call.without(call.text()), call.file)


WITHOUT = {
    "disk.sync(fd)": "None",
    "os.fsync(fd)": "None",
    "self.sync_folder(Path('ö'))": "None",
    "make_durable(disk, root, folder)": "None",
    "write_all(disk, fd, b'')": "disk.write(fd, b'')",
    "put_whole(disk, path, data)": "put_whole(disk, path, data, is_durable=False)",
    "put_whole(\n    disk,\n    data,\n)": "put_whole(\n    disk,\n    data, is_durable=False)",
    "put_whole(disk, path, data, is_durable=False)": "",
    "record(text, sync=True)": "record(text, sync=False)",
    "record(text, sync=False)": "",
    "put(name, is_durable=bool(block))": "put(name, is_durable=False)",
    "later(file.make_durable)": "later((lambda *_: None))",
    "pragma = 'synchronous = normal'": 'pragma = "synchronous = off"',
    "sync = folder.sync_all_but": "",
}


@pytest.mark.parametrize(("line", "without"), WITHOUT.items())
def test_a_sync_is_found_in_each_form_and_taken_out(line: str, without: str) -> None:
    text = f"def keep():\n    {line}\n"
    calls = list(sync_calls("a.py", text))
    assert [call.place for call in calls] == (["keep#1"] if without else [])
    assert [call.without(text) for call in calls] == ([f"def keep():\n    {without}\n"] if without else [])


def test_syncs_are_named_by_their_function_and_counted() -> None:
    text = dedent("""
        class Log:
            def keep(self):
                self.sync()
                def later():
                    os.fsync(fd)
                os.fdatasync(fd)
    """)
    assert [call.place for call in sync_calls("a.py", text)] == ["Log.keep#1", "Log.keep.later#1", "Log.keep#2"]
