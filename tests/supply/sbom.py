"""Software bill of materials in CycloneDX 1.6 (JSON): `bin/lock --sbom` prints it.

The same locks give the same bytes: there is no time in it, and the serial number is made from the content.
"""

from __future__ import annotations

import json
import sys
import uuid
from typing import Any

from tests.supply.licences import ids_of, licence_of
from tests.supply.locks import DEV, PROJECT, RUN, Package, locked, project

SPEC = "1.6"


def bill(version: str, locks: dict[str, list[Package]]) -> dict[str, Any]:
    """The bill.

    Args:
        version: Of the agent.
        locks: Lock -> its packages.
    """
    root = f"pkg:pypi/{PROJECT}@{version}"
    run = {(package.name, package.version) for package in locks[RUN]}
    packages = {package.purl: package for layer in (DEV, RUN) for package in locks[layer]}
    content = {
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": root,
                "name": PROJECT,
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
                "purl": root,
            },
        },
        "components": [
            _component(package, is_required=(package.name, package.version) in run)
            for package in sorted(packages.values(), key=lambda package: package.purl)
        ],
        "dependencies": _dependencies(root, locks),
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC,
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        **content,
    }


def _component(package: Package, *, is_required: bool) -> dict[str, Any]:
    expression = licence_of(package.name)
    licences: list[dict[str, Any]] = []
    if expression:
        is_single = ids_of(expression) == {expression}
        licences = [{"license": {"id": expression}} if is_single else {"expression": expression}]
    properties = [{"name": "remembrancer:marker", "value": package.marker}] if package.marker else []
    return {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": "required" if is_required else "excluded",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in sorted(set(package.hashes))],
        "licenses": licences,
        "purl": package.purl,
        "properties": properties,
    }


def _dependencies(root: str, locks: dict[str, list[Package]]) -> list[dict[str, Any]]:
    """Needs of the agent and of each component; a component without needs has its entry, too."""
    purls: dict[str, set[str]] = {PROJECT: {root}}
    for packages in locks.values():
        for package in packages:
            purls.setdefault(package.name, set()).add(package.purl)
    needed: dict[str, set[str]] = {purl: set() for of_name in purls.values() for purl in of_name}
    for layer, packages in locks.items():
        for package in packages:
            for asker in package.asked_by:
                if asker != PROJECT or layer == RUN:  # the agent itself does not need what its tests do
                    for purl in purls.get(asker, ()):
                        needed[purl].add(package.purl)
    return [{"ref": ref, "dependsOn": sorted(needed[ref])} for ref in sorted(needed)]


def bill_here() -> dict[str, Any]:
    """The bill of this checkout."""
    return bill(project()["project"]["version"], {layer: locked(layer) for layer in (RUN, DEV)})


if __name__ == "__main__":
    sys.stdout.write(json.dumps(bill_here(), indent=2, ensure_ascii=False) + "\n")
