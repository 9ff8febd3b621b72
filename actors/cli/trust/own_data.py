"""Data roots made by the agent for the user: each has a mark, and the list of trusted files has the mark's digest.

A data root at the usual place, `data` in the current folder, may be another person's: cloned or put there. A link in
the root leads where the author likes, and an unanswered question in the logs is answered at the start.
"""

from __future__ import annotations

import os
from pathlib import Path

from actors.cli.common import fail, note
from actors.cli.trust.recording import change_trust_list
from actors.kernel import random_token
from actors.linux.private_folder import make_private
from actors.part import command
from actors.settings.document import read_content
from actors.settings.problem import SettingsError, quote_text
from actors.settings.schema import Settings
from actors.settings.trust import TrustError, UserTrust, digest_of, place_of
from domain.policy.folder_trust import MADE_NAME, Standing


def check_data(settings: Settings, instead: str = "") -> None:
    """End the command if the data root exists and may be another person's.

    A data root named by the caller or by a trusted settings file is accepted, and so is a data root in a trusted
    folder.

    Args:
        settings: In force.
        instead: Options that name another data root, for the reason.
    """
    root = settings.data_root
    if not settings.origin.trusts_data and os.path.lexists(root) and not _is_own(root):
        fail(
            f"{quote_text(str(root))}: no settings file names this data root and this folder is not trusted; "
            f"after a look at it run `{command()} trust`, or name {instead}a settings file by --config that names it"
        )


def make_data(settings: Settings) -> None:
    """Make a data root found missing by `check_data`, with a mark, and list the root as the user's own.

    On a failure, the agent itself reports the reason at the next start.
    """
    root = settings.data_root
    if settings.origin.trusts_data or os.path.lexists(root):
        return
    content = f"{random_token()}\n".encode()
    path = root / MADE_NAME
    try:
        make_private(root)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:  # noqa: PTH123 - has no Path
            file.write(content)
        change_trust_list(os.environ, lambda known: known.with_files({place_of(path): digest_of(content)}))
    except OSError:
        return
    except TrustError as error:
        note(f"the next start will ask about this data root, which cannot be listed as your own: {error}")


def _is_own(root: Path) -> bool:
    path = root / MADE_NAME
    if root.is_symlink() or path.is_symlink():
        return False
    try:
        content = read_content(path, MADE_NAME, required=True)
    except SettingsError:
        return False
    return UserTrust(os.environ).standing(path, digest_of(content)) is Standing.TRUSTED
