"""Names of secrets: commands do not see files of these names in a caller's folder; pure."""

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
    *(".config/gh", ".config/hub", ".config/glab-cli", ".config/op", ".config/rclone", ".config/doctl"),
    *(".*_history", ".zhistory", ".lesshst", ".viminfo"),
    *("application_default_credentials.json", "service-account*.json", "*.p12", "*.pfx", "*.jks", "*.keystore"),
    *("kubeconfig", "*.kubeconfig", "client_secret*.json", "token.json", "auth.json", "oauth_creds.json"),
    *(".credentials*", "*-adminsdk-*.json", "kaggle.json", "stored_tokens", "huggingface/token", "age/keys.txt"),
    *(".dev.vars", ".dev.vars.*", ".vault_pass*", "vault_pass*", ".vault-pass*", "vault-pass*", "*.agekey"),
    *("rclone.conf", "*.ovpn", "wg0.conf", ".m2/settings.xml", ".m2/settings-security.xml"),
    *(
        ".gradle/gradle.properties",
        "local.settings.json",
        "wp-config.php",
        "wallet.dat",
        ".pg_service.conf",
        "pg_service.conf",
    ),
    *(
        ".mylogin.cnf",
        ".databrickscfg",
        ".snowsql",
        ".oci",
        ".aliyun",
        ".ngrok2",
        "ngrok.yml",
        ".cloudflared",
        ".condarc",
    ),
    *(".smbcredentials", ".msmtprc", ".fetchmailrc", "sftp-config.json", ".ftpconfig", "sitemanager.xml"),
    *("datasources.local.xml", "*.tfvars.json", ".bundle/config"),
    *("*.ppk", "*.kdbx", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key"),
)
"""Names of files with secrets, anywhere in the folder, in any case; with a slash, in a folder of the given name."""
SHOWN_ANYWAY = ("*.example", "*.sample", "*.template", "*.dist", "*.pub", "*cert*.pem", "*chain*.pem", "ca*.pem")
NEVER_SHOWN = ("*key*.pem", "*.env.dist")
_COPY = r"(?:[~#\s._-]|\(?(?:bak|backup|old|orig|save|swp|swo|tmp|copy|[0-9]+(?![0-9]))\)?)*"
"""Suffixes that editors, file managers and people give to copies of a file.

No string matches in two ways; else matching a long name could take years.
"""
_CODE = (".py", ".pyc", ".pyi", ".so")


def is_secret(name: str, folder: str) -> bool:
    """True if the name `name`, in a folder called `folder`, holds secrets; a copy counts as its original."""
    path = f"{folder}/{name}".casefold()
    return _HIDDEN(path) is not None and (not _SHOWN_ANYWAY(path) or _NEVER_SHOWN(path) is not None)


def is_code(name: str) -> bool:
    """True for code of a library, since `credentials.py` there handles secrets rather than holds secrets."""
    return name.endswith(_CODE)


def _matcher(patterns: Sequence[str], behind: str = "") -> Callable[[str], re.Match[str] | None]:
    """Matcher of any of `patterns`, with an optional suffix `behind`, at the end of a path.

    A single expression is many times as fast as several.
    """
    expressions = (re.escape(pattern).replace(r"\*", "[^/]*") for pattern in patterns)
    return re.compile(f"(?:[^/]*/)?#?(?:{'|'.join(expressions)}){behind}").fullmatch


_HIDDEN, _SHOWN_ANYWAY, _NEVER_SHOWN = _matcher(HIDDEN, _COPY), _matcher(SHOWN_ANYWAY), _matcher(NEVER_SHOWN)
