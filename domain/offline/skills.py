"""Scripts of skills, by their names in the system prompt's list of commands."""

from __future__ import annotations

import shlex

_COMMAND = "$ "


def find_script(system_prompt: str, script: str) -> str:
    """The offered script, quoted for the shell; empty where no command of the list runs it.

    Args:
        system_prompt: With the list of skills, each with a command at least, however many there are.
        script: End of its path, from the skill's folder on.
    """
    for line in system_prompt.splitlines():
        if not line.startswith(_COMMAND) or script not in line:
            continue
        try:
            words = shlex.split(line.removeprefix(_COMMAND), comments=True)
        except ValueError:
            continue
        if words and words[0].endswith(f"/{script}"):
            return shlex.quote(words[0])
    return ""
