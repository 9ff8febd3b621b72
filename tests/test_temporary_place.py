"""The temporary folder of the tests' own, and what it says of a test that leaves something there."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from actors.linux.private_folder import TemporaryFolder
from tests.temporary_place import OWN_PREFIX, temporary_place


def test_what_is_left_is_named_with_its_test_and_what_a_kill_left_of_the_agents_is_not() -> None:
    with temporary_place() as place:
        Path(tempfile.mkdtemp(prefix=OWN_PREFIX))
        held = TemporaryFolder(f"{OWN_PREFIX}held-")
        made = Path(tempfile.mkdtemp(prefix="x-"))
        place.note("tests/a.py::test_a")
        place.note("tests/b.py::test_b")
        left = place.leftovers()
        held.cleanup()

    assert left == [f"{Path(name).name} (came in tests/a.py::test_a)" for name in sorted((held.name, str(made)))]
    assert not place.folder.exists()


def test_a_child_uses_it_too() -> None:
    with temporary_place() as place:
        code = "import tempfile; print(tempfile.gettempdir())"
        done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(place.folder) == os.environ["TMPDIR"]


def test_a_run_that_leaves_something_fails_and_names_the_test(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n")
    (tmp_path / "test_inner.py").write_text(
        "import tempfile\ndef test_leaves():\n    tempfile.mkdtemp(prefix='x-')\ndef test_other():\n    pass\n"
    )
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:randomly", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "pytest", *options, str(tmp_path)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert "left in the temporary folder:\nx-" in done.stdout
    assert "(came in test_inner.py::test_leaves)" in done.stdout
