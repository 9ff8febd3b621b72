from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.cli import agent


def test_hosts_without_ray_are_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ray", None)
    result = CliRunner().invoke(agent, ["run", "--hosts", "2"])

    assert result.exit_code == 1
    assert result.stderr == (
        "error: --hosts needs Ray, which is not installed: pip install 'ray>=2.53,<3' (the extra `cluster`)\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_cluster_without_hosts_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(agent, ["run", "--cluster", "auto"])

    assert result.exit_code == 1
    assert "--cluster needs --hosts" in result.stderr
