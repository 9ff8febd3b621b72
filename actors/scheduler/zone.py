"""Time zone of reminders: London's, from the tzdata package, whatever the machine has or is set to."""

from __future__ import annotations

from importlib import resources
from zoneinfo import ZoneInfo

ZONE_NAME = "Europe/London"


class ZoneMissingError(Exception):
    """The rules of the clocks are not installed; the text gives the remedy."""


def load_zone() -> ZoneInfo:
    """The rules of London's clocks.

    Raises:
        ZoneMissingError: the tzdata package is not installed, or is damaged.
    """
    area, _, city = ZONE_NAME.partition("/")
    try:
        with resources.files(f"tzdata.zoneinfo.{area}").joinpath(city).open("rb") as rules:
            return ZoneInfo.from_file(rules, key=ZONE_NAME)
    except (ModuleNotFoundError, OSError, ValueError) as error:
        raise ZoneMissingError(
            f"the rules of {ZONE_NAME} are missing or damaged ({error}): "
            "install the package tzdata, which comes with the agent"
        ) from error
