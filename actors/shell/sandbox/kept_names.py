"""Kept names: what is called so in a caller's folder is not shown to commands, or never changed by them; pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

HIDDEN = (
    *("secrets.env", "secrets.toml", "secrets.y*ml", "secrets.json", "secrets.txt", ".secret", ".secrets*"),
    *(".env", ".env.*", ".env-*", ".env_*", "*.env", "*.env.*", "*.env-*", ".envrc", "credentials.*"),
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".terraform.d", ".mozilla", "gcloud"),
    *(".netrc", "_netrc", ".authinfo*", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".vault-token"),
    *(".htpasswd", ".boto", ".s3cfg", ".my.cnf", ".dockercfg", ".terraformrc", "*.tfvars", "*.tfstate", ".xauthority"),
    *(".cargo/credentials", ".gem/credentials", ".git/credentials", "git/credentials", "share/keyrings"),
    *(".config/gh", ".config/hub", ".config/glab-cli", ".config/op", ".config/rclone"),
    *(".*_history", ".zhistory", ".lesshst", ".viminfo"),
    *("application_default_credentials.json", "service-account*.json", "*.p12", "*.pfx", "*.jks", "*.keystore"),
    *("*.ppk", "*.kdbx", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key"),
)
"""Names of what holds secrets, anywhere in the folder, in whatever case; with a slash, in a folder of that name."""
SHOWN_ANYWAY = ("*.example", "*.sample", "*.template", "*.dist", "*.pub", "*cert*.pem", "*chain*.pem", "ca*.pem")
NEVER_SHOWN = ("*key*.pem", "*.env.dist")
PROTECTED = (
    *(".git", ".gitmodules", ".gitconfig", ".gitattributes", ".githooks", ".hg", ".svn", ".venv", "venv"),
    *("agent.toml", "*.pth", "sitecustomize.py", "usercustomize.py", ".pdbrc"),
    *(".bashrc", ".bash_*", ".profile", ".zsh*", ".zprofile", ".zlogin", ".zlogout", ".login", ".logout", ".cshrc"),
    *(".tcshrc", ".kshrc", ".mkshrc", ".shrc", ".xonshrc", "config.fish", ".config/fish", ".xprofile", ".xinitrc"),
    *(".xsession*", ".inputrc", ".vimrc", ".exrc", ".emacs", ".tmux.conf", ".screenrc", ".gdbinit"),
    *(".vscode", ".idea", ".mcp.json", ".claude", ".cursor", ".direnv", ".pre-commit-config.yaml", ".husky"),
)
"""Names of what somebody's programs run or obey, likewise: read-only whatever was let."""
_COPY = r"(?:[~#\s._-]|\(?(?:bak|backup|old|orig|save|swp|swo|tmp|copy|[0-9]+(?![0-9]))\)?)*"
"""What editors, file managers and people put behind the name of a file when they keep another one of it.

No string can be read as this in two ways, or a long name could be looked at for years.
"""
_CODE = (".py", ".pyc", ".pyi", ".so")


def is_secret(name: str, folder: str) -> bool:
    """Whether what is called `name`, in a folder called `folder`, holds secrets; a copy counts as what it is of."""
    path = f"{folder}/{name}".casefold()
    return _HIDDEN(path) is not None and (not _SHOWN_ANYWAY(path) or _NEVER_SHOWN(path) is not None)


def is_code(name: str) -> bool:
    """Whether it is code of a library, in which `credentials.py` is what handles them."""
    return name.endswith(_CODE)


def is_obeyed(name: str, folder: str) -> bool:
    """Whether programs run or obey what is called `name`, in a folder called `folder`."""
    return _PROTECTED(f"{folder}/{name}".casefold()) is not None


def _matcher(patterns: Sequence[str], behind: str = "") -> Callable[[str], re.Match[str] | None]:
    """What finds one of `patterns`, and what may stand `behind` it, at the end of a path.

    One expression is many times as fast as many.
    """
    expressions = (re.escape(pattern).replace(r"\*", "[^/]*") for pattern in patterns)
    return re.compile(f"(?:[^/]*/)?#?(?:{'|'.join(expressions)}){behind}").fullmatch


_HIDDEN, _SHOWN_ANYWAY = _matcher(HIDDEN, _COPY), _matcher(SHOWN_ANYWAY)
_NEVER_SHOWN, _PROTECTED = _matcher(NEVER_SHOWN), _matcher(PROTECTED)
