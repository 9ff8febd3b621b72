"""What the agent is run with as a service: a unit of systemd, an image, a compose file."""

from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from actors.bootstrap import DRAIN_S, EXIT_ESCALATED, EXIT_FATAL, STOP_S
from actors.cli import agent
from actors.kernel.thread import SPARES
from actors.kernel.watchdog import LIMIT_S
from tests.deploy.dockerfile import DEPLOY, PLACE, ROOT, commands, instructions, stages

AT_STOP_S = DRAIN_S + STOP_S
BREAKS_SANDBOXES = {
    *("PrivateUsers", "ProtectKernelTunables", "ProtectProc", "ProcSubset", "RestrictNamespaces", "SystemCallFilter"),
    *("MemoryDenyWriteExecute", "PrivateNetwork", "InaccessiblePaths", "RootDirectory"),
}


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(DEPLOY / "remembrancer.service")
    return parser


def seconds(text: str) -> float:
    number, word = re.fullmatch(r"(\d+)(s|min|m|)", text).groups()  # type: ignore[union-attr]
    return int(number) * (60 if word in ("min", "m") else 1)


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return loaded


def accepts(arguments: list[str]) -> bool:
    """Whether `bin/agent` knows such a command line; nothing is run."""
    done = CliRunner().invoke(agent, [*arguments, "--help"])
    return done.exit_code == 0 and done.output.startswith("Usage:")


def checkout_paths(text: str) -> list[Path]:
    """What `text` names of the checkout, without what is made by a set-up."""
    return [ROOT / path for path in re.findall(rf"{PLACE}/([\w./-]*\w)", text)]


def test_the_unit_starts_a_command_that_there_is() -> None:
    words = shlex.split(unit()["Service"]["ExecStart"])

    assert words[0] == f"{PLACE}/bin/agent"
    assert accepts(words[1:])


def test_every_file_of_the_checkout_that_is_named_is_there(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["remembrancer.service", "Dockerfile", "compose.yaml"]
    for name in cases:
        with subtests.test(name=name):
            text = (DEPLOY / name).read_text()
            named = [ROOT / path for path in re.findall(r"\b(?:docs|deploy)/[\w./-]*\w", text)]
            if name != "Dockerfile":  # whose place is no checkout
                named += checkout_paths(text)

            assert named != []
            assert [path for path in named if not path.exists()] == []


def test_the_unit_is_told_of_the_agents_life_and_gives_it_time_to_end() -> None:
    service = unit()["Service"]

    assert (service["Type"], service["Restart"], service["OOMPolicy"]) == ("notify", "always", "continue")
    assert service["Delegate"] == "yes"
    assert seconds(service["WatchdogSec"]) >= 4 * LIMIT_S
    assert seconds(service["TimeoutStopSec"]) >= AT_STOP_S
    assert int(service["TasksMax"]) > 2 * SPARES
    assert service["RestartPreventExitStatus"].split() == [str(EXIT_FATAL), "2"]
    assert str(EXIT_ESCALATED) not in service["RestartPreventExitStatus"]
    limits = unit()["Unit"]
    assert (limits["StartLimitIntervalSec"], limits["StartLimitBurst"]) == ("10min", "10")


def test_the_unit_has_no_line_that_keeps_commands_from_their_sandbox() -> None:
    assert BREAKS_SANDBOXES.isdisjoint(unit()["Service"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    here = tmp_path / "remembrancer.service"
    here.write_text((DEPLOY / "remembrancer.service").read_text().replace(PLACE, str(ROOT)))

    done = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True, check=False)

    assert [line for line in done.stderr.splitlines() if "remembrancer" in line] == []


def test_the_image_has_the_wheel_and_locked_packages_and_no_compiler() -> None:
    build, image = stages()
    copied = {words[0]: words[-1] for words in (rest.split() for word, rest in build if word == "COPY")}
    installs = [command for command in commands(build) if command.startswith(PLACE)]

    assert copied == {"requirements.lock": "/build/", ".": "/build"}
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [command.split()[1] for command in installs] == ["install", "wheel", "install"]
    assert {"--require-hashes", "--only-binary :all:"} <= set(re.findall(r"--\S+(?: :all:)?", installs[0]))
    assert all(" --no-deps " in command for command in installs)
    assert all(" --no-index " in command for command in installs[1:])
    assert [rest for word, rest in image if word == "COPY"] == [f"--from=build {PLACE} {PLACE}"]
    assert any(" gcc " in command for command in commands(build))
    assert not any(" gcc" in command for command in commands(image))
    assert build[0][1].split()[0] == image[0][1].split()[0], "the environment's Python is the same in both"


@pytest.mark.req("X-237")
def test_the_image_begins_at_one_base_by_its_digest() -> None:
    bases = {stage[0][1].partition(" AS ")[0] for stage in stages()}

    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+@sha256:[0-9a-f]{64}", bases.pop())


def test_the_image_runs_the_agent_as_a_user_of_its_own() -> None:
    steps = stages()[-1]
    words = [word for word, _ in steps]
    runs = [rest for word, rest in steps if word == "RUN"]

    assert steps[0][0] == "FROM"
    assert tuple(map(int, re.findall(r"python:(\d+)\.(\d+)", steps[0][1])[0])) >= (3, 11)
    assert ("USER", "remembrancer") in steps
    assert words.index("USER") > max(index for index, word in enumerate(words) if word in ("RUN", "COPY"))
    assert any("useradd" in run and " remembrancer" in run for run in runs)
    assert any("bubblewrap" in run for run in runs)
    assert any(run.endswith("bin/agent --version") for run in runs)
    entry, command = (yaml.safe_load(dict(steps)[word]) for word in ("ENTRYPOINT", "CMD"))
    assert entry == [f"{PLACE}/bin/agent"]
    assert accepts(command)
    health = yaml.safe_load(re.sub(r".*CMD ", "", dict(steps)["HEALTHCHECK"]))
    assert health[0] == f"{PLACE}/bin/agent"
    assert accepts(health[1:])


def test_the_image_takes_in_no_secret_and_nothing_that_is_made() -> None:
    left_out = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()

    assert {".git", ".venv", "data", "**/agent.toml", "**/secrets.env", "**/.env"} <= set(left_out)


def test_the_container_has_an_init_a_volume_and_time_to_end() -> None:
    document = compose()
    service = document["services"]["agent"]

    assert service["init"] is True
    assert seconds(service["stop_grace_period"]) >= max(15, AT_STOP_S)
    assert service["pids_limit"] > 2 * SPARES
    assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
    assert (ROOT / service["build"]["dockerfile"]).exists()
    homes = [rest.split("=")[1] for word, rest in instructions() if word == "ENV" and rest.startswith("AGENT_HOME=")]
    kept = [volume.split(":")[1] for volume in service["volumes"] if volume.split(":")[0] in document["volumes"]]
    assert kept == homes


def test_git_ignores_the_files_with_the_containers_settings_and_secrets() -> None:
    ignored = (ROOT / ".gitignore").read_text().splitlines()

    assert {"agent.toml", "/deploy/environment"} <= set(ignored)
