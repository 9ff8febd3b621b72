"""Check of the locks against `pyproject.toml` and the installed packages' own needs: `bin/lock --check`.

No network is used and nothing is resolved anew, so an answer takes a second: a lock is current if all that is asked
for is pinned within its range, all that is pinned is asked for, and each pin has its hashes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.supply.locks import DEV, PROJECT, ROOT, RUN, Package, locked, project, requirements

Needs = Mapping[str, Iterable[str]]
"""Package -> requirements that the package's metadata names."""


def faults(locks: Mapping[str, list[Package]], asked: Mapping[str, list[str]], needs: Needs, dropped: str) -> list[str]:
    """Faults of the locks, a sentence each.

    Args:
        locks: Lock -> its packages.
        asked: Lock -> requirements of the project's own.
        needs: Of the packages that are installed.
        dropped: Requirements that are left out on purpose, a line each.
    """
    pins = {package.name: package for layer in (DEV, RUN) for package in locks[layer] if _counts_here(package)}
    left_out = {Requirement(line).name for line in dropped.splitlines() if line and not line.startswith("#")}
    return [
        *(fault for layer in (RUN, DEV) for fault in _of_project(layer, locks[layer], asked[layer])),
        *_of_needs(pins, needs, left_out),
        *(
            f"{layer}: {package.name} has no hash"
            for layer, packages in locks.items()
            for package in packages
            if not package.hashes
        ),
        *_of_both(locks[RUN], locks[DEV]),
    ]


def _counts_here(package: Package) -> bool:
    return package.is_for({name: str(value) for name, value in default_environment().items()})


def _of_project(layer: str, packages: list[Package], asked: list[str]) -> Iterator[str]:
    """Requirements without a pin in their range, and pins for requirements that are gone."""
    wanted = {canonicalize_name(Requirement(text).name): Requirement(text) for text in asked}
    for name, requirement in wanted.items():
        versions = [package.version for package in packages if package.name == name]
        if not versions:
            yield f"{layer}: {name} is asked for by pyproject.toml and not pinned"
        yield from (
            f"{layer}: {name} {version} is outside of {requirement.specifier}"
            for version in versions
            if not requirement.specifier.contains(version, prereleases=True)
        )
    names = {package.name for package in packages}
    for package in packages:
        askers = set(package.asked_by)
        if PROJECT in askers and package.name not in wanted:
            yield f"{layer}: {package.name} is pinned for pyproject.toml, which does not ask for it"
        if not askers & (names | {PROJECT}):
            yield f"{layer}: nothing asks for {package.name}"


def _of_needs(pins: Mapping[str, Package], needs: Needs, dropped: set[str]) -> Iterator[str]:
    """Needs of pinned packages that no pin meets."""
    for name in sorted(pins.keys() & needs.keys()):
        for need in map(Requirement, needs[name]):
            other = canonicalize_name(need.name)
            if other in dropped or (need.marker is not None and not need.marker.evaluate({"extra": ""})):
                continue
            if other not in pins:
                yield f"{name} needs {other}, which is not pinned"
            elif not need.specifier.contains(pins[other].version, prereleases=True):
                yield f"{name} needs {other}{need.specifier}, and {pins[other].version} is pinned"


def _of_both(run: list[Package], dev: list[Package]) -> Iterator[str]:
    pinned = {(package.name, package.marker): package.version for package in run}
    for package in dev:
        version = pinned.get((package.name, package.marker), package.version)
        if version != package.version:
            yield f"{DEV}: {package.name} is {package.version}, and {version} in {RUN}"


def installed_needs(names: Iterable[str]) -> dict[str, list[str]]:
    """Requirements of the packages among `names` that are installed, by their metadata."""
    found = dict[str, list[str]]()
    for name in names:
        try:
            found[name] = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another system, or a layer that is not set up
            continue
    return found


def faults_here() -> list[str]:
    """Faults of the locks of this checkout."""
    locks = {layer: locked(layer) for layer in (RUN, DEV)}
    names = {package.name for packages in locks.values() for package in packages}
    overrides = (ROOT / "bin" / "overrides.txt").read_text()
    return faults(locks, requirements(project()), installed_needs(names), overrides)


def main() -> int:
    """Print the faults; the exit code."""
    found = faults_here()
    for fault in found:
        print(fault)  # noqa: T201
    print(f"{len(found)} faults in {RUN} and {DEV}" + "; bin/lock writes them anew" * bool(found))  # noqa: T201
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
