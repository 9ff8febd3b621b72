from __future__ import annotations

import json
import re
import subprocess

import pytest

from tests.supply.licences import IDS, ids_of
from tests.supply.locks import DEV, PROJECT, ROOT, RUN, Package, locked
from tests.supply.sbom import bill, bill_here

SERIAL = re.compile(r"urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
HASH = re.compile(r"[0-9a-f]{64}")
APP = Package("app", "1.0", "", ("a" * 64,), (PROJECT,))
BASE = Package("base", "2.1", "sys_platform == 'win32'", ("b" * 64,), ("app",))
PROBE = Package("probe", "3.0", "", ("c" * 64,), (PROJECT,))


@pytest.mark.req("X-237")
def test_the_bill_has_every_package_of_the_locks_with_its_hashes_and_licence() -> None:
    document = bill_here()
    packages = {package.purl: package for layer in (RUN, DEV) for package in locked(layer)}
    components = {component["bom-ref"]: component for component in document["components"]}

    assert (document["bomFormat"], document["specVersion"], document["version"]) == ("CycloneDX", "1.6", 1)
    assert SERIAL.fullmatch(document["serialNumber"])
    assert components.keys() == packages.keys()
    assert len(components) == len(document["components"])
    for purl, component in components.items():
        licence = component["licenses"][0]
        assert ids_of(licence.get("expression") or licence["license"]["id"]) <= IDS
        assert {each["content"] for each in component["hashes"]} == set(packages[purl].hashes)
        assert all(each["alg"] == "SHA-256" and HASH.fullmatch(each["content"]) for each in component["hashes"])


@pytest.mark.req("X-237")
def test_every_component_of_the_bill_says_whom_it_needs_and_the_agent_needs_no_test() -> None:
    document = bill("0.1.0", {RUN: [APP, BASE], DEV: [PROBE, BASE]})

    assert {entry["ref"]: entry["dependsOn"] for entry in document["dependencies"]} == {
        "pkg:pypi/remembrancer@0.1.0": ["pkg:pypi/app@1.0"],
        "pkg:pypi/app@1.0": ["pkg:pypi/base@2.1"],
        "pkg:pypi/base@2.1": [],
        "pkg:pypi/probe@3.0": [],
    }
    assert {component["name"]: component["scope"] for component in document["components"]} == {
        "app": "required",
        "base": "required",
        "probe": "excluded",
    }


def test_another_pin_makes_another_serial_number_and_the_same_pins_the_same_bytes() -> None:
    same = [json.dumps(bill("0.1.0", {RUN: [APP], DEV: []})) for _ in range(2)]
    other = bill("0.1.0", {RUN: [BASE], DEV: []})

    assert same[0] == same[1]
    assert other["serialNumber"] not in same[0]


@pytest.mark.slow
def test_the_command_prints_the_bill_as_json() -> None:
    done = subprocess.run([ROOT / "bin" / "lock", "--sbom"], capture_output=True, timeout=120)

    assert json.loads(done.stdout) == bill_here(), done.stderr
