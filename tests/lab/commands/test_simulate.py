"""`agent simulate`: a single schedule by numbers."""

from __future__ import annotations

import json

from click.testing import CliRunner

from lab.commands.simulate import simulate


def test_a_part_of_a_script_is_run_by_its_numbers() -> None:
    ended = CliRunner().invoke(simulate, ["--seed", "41", "--scenes", "0", "--json"])
    assert ended.exit_code == 0, ended.output
    assert json.loads(ended.output)["said"] == 1


def test_scenes_that_the_script_does_not_have_are_a_usage_error() -> None:
    for text in ("999", "one"):
        ended = CliRunner().invoke(simulate, ["--seed", "41", "--scenes", text])
        assert ended.exit_code == 2
        assert text in ended.output
