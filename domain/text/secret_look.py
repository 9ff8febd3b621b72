"""Look of a secret: the shapes of keys and tokens, and the text behind the name of a password."""

from __future__ import annotations

import re
from collections.abc import Iterable

from domain.text.lookalike import as_seen, normalize

_NAMES = (
    r"(?:pass(?:w[o0]rd|wd|phrase|code)|pwd|secret|token|credentials?"
    r"|passwort|kennwort|wachtwoord|has[lł]o|senha|contrase[nñ]a|mot\ de\ passe|парол[ья]|密[码碼]|パスワード"
    r"|(?:api|access|auth|account|private|secret|encryption|signing)[ _-]?key)"
)
_NAMED_SECRET = re.compile(
    rf"""(?ix)
    (?:(?P<name>{_NAMES})(?P<several>s?)(?:\ ?\([^()]{{1,40}}\))?
       (?:\ (?:for|of|to|on)\ [^:=]{{1,60}}?)?|(?P<weak>(?<![a-z])(?:pass|pin)))
    ["'`]?\ ?(?P<sign>\bis(?:\ now|\ still)?\b|\bare\b|:=|[:=]{{1,2}}|&\#(?:58|x3a);|->|=>
        |(?P<faint>[|/\u2012-\u2015\u2190-\u21ff\u00bb\u203a]|-(?=\ )))\ ?
    ["'`]?(?P<value>[^\s"'`]{{4,}})(?P<more>["'`.,;]*\ \S)?
    """
)
_OPTION = re.compile(rf"(?i)(?<!\S)--?(?:[a-z]{{1,20}}-)?{_NAMES} [\"'`]?(?P<value>(?![a-z]+=)[^\s\"'`]{{4,}})")
_WORD = re.compile(r"[A-Z]?[a-z]+(?:[-'\u2019/][A-Za-z]+)*|[A-Z]{2,}")
"""A word of a sentence, not a value."""
_HARMLESS_VALUE = re.compile(
    r"(?i:\*+|x+|\.{3,}|…+|%\(?\w+\)?s?|<\S*|\[\S*|\$\S*|\{\S*|https?://[^@?]*|none|null|true|false|undefined"
    r"|str(?:ing)?|bytes|bool(?:ean)?|int(?:eger)?|optional|required|empty|missing|invalid|expired|unset|unknown|redacted|ed25519|1password'?s?)"
    r"|[a-z]+/[\w./-]+|[~.]{0,2}/[\w./-]+"  # paths, also a secret's in a vault
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"  # a variable's name
    r"|[a-z][a-z_]*(?:\.[A-Za-z_]+)+(?:[(\[]\S*)?|[A-Za-z_.]+[(\[]\S*"  # code, or the name of a file
)
"""Placeholders, types, and where a secret is to be found."""
_SHORTEST_PIN, _LONGEST_PIN = 4, 8
_NUMBER = re.compile(r"[\d.,_:%]+[kKmMsh]?")
_SHAPES = re.compile(
    r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}"  # Discord's tokens
    r"|\bmfa\.[\w-]{20,}"
    r"|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/[\w-]{20,}"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/\w+/\w+/\w+"
    r"|\b(?:xox[abeoprs]|xapp)-[\w-]{10,}"
    r"|\bsk-(?=[\w-]{0,60}\d)[\w-]{16,}"
    r"|\b(?:sk|rk|pk)_(?:live|test)_\w{8,}|\bwhsec_[\w+/]{16,}"
    r"|\b(?:gsk|hf|ghp|gho|ghu|ghs|ghr|r8|npm|dop_v1|doo_v1|shpat|shpss)_[A-Za-z0-9]{20,}"
    r"|\b(?:xai|pplx|tvly)-(?=[\w-]{0,60}\d)[\w-]{20,}"
    r"|\b(?:github_pat_|glpat-|gldt-|glrt-|nvapi-|GOCSPX-|pypi-AgEI|AGE-SECRET-KEY-1)[\w-]{16,}"
    r"|\bAIza[\w-]{30,}"
    r"|\bya29\.[\w-]{20,}"
    r"|\bBSA(?=[\w-]{0,60}\d)[\w-]{20,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|\b\d{8,10}:AA[\w-]{30,}"  # Telegram's
    r"|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}"
    r"|(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|://[^/@\s:]*:(?![$<{*])[^/@\s]+@"
    r"|[?&](?:\w{0,40}_)?(?:key|token|secret|password|sig|signature)=(?=[^&\s]{0,60}\d)[^&\s]{8,}"
    r"|\bBearer\s+(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{16,}"
    r"|\bAuthorization:\s*Basic\s+[\w+/=]{8,}"
    r"|\bBasic (?=[\w+/]{0,60}[\d=])[\w+/]{12,}=*"
    r"|(?:^| )(?:-u|--user)[ =] ?[^\s:]{1,60}:[^\s:/]{4,}"
    r"|\b(?:mysql|mysqldump|mariadb) (?:\S+ ){0,8}-p[^\s-]\S{3,}",
    re.ASCII,
)
_PUBLIC = re.compile(r"(?i)\bsha(?:1|224|256|384|512)[-:=][\w+/=]+|\bssh-[a-z0-9]+ AAAA[\w+/=]+", re.ASCII)
"""Digests and public keys: values without secrecy."""
_RUN = re.compile(r"(?<![\w+/=-])[\w+/=-]{32,}(?![\w+/=-])", re.ASCII)
"""A possible key of unknown shape."""
_HEX = re.compile(r"[0-9a-fA-F]+")
_DIGESTS = (32, 40, 56, 64, 96, 128)
"""Lengths of digests in hex, such as commit ids: values without secrecy."""
_SYLLABLES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""Words and numbers of an identifier; a key's words and numbers are shorter."""
_SHORT_SYLLABLE = 2.7
_RANDOM = 16
"""Least characters of a key without separators."""
_BARE_SECRET = re.compile(
    r"(?i)(?:\b(?:pass(?:w[o0]rd|wd|phrase)|pwd|api[ _-]?key|secret) |\bpw ?[:=] ?)"
    r"(?=[^\s]{0,60}\d)(?=[^\s]{0,60}[a-z])[\w!@#$%^&*+-]{8,}(?!\S)"
)
"""A secret behind a name, without a sign between the two."""
_MARKUP = re.compile(r"[*~`\"'\\]")
_SPACED = re.compile(r"(?<!\S)(?:\S ){4,}\S[:=]?(?!\S)")
"""Words with their letters set apart."""
_PAIR = re.compile(r"[\w.-]{1,40}/(?=[\w]{0,60}\d)(?=[\w]{0,60}[a-z])\w{6,}", re.ASCII)
"""A name with a password behind it."""
_PATH = re.compile(r"[a-z]+(?:/[\w.-]+)*/(?:[\w-]+\.[a-z]{1,5}|[A-Za-z_-]*)", re.ASCII)


def looks_secret(text: str) -> bool:
    """True if a text has the shape of a secret, or names a secret with its value, in any common disguise."""
    lines = dict.fromkeys(" ".join(line.split()) for line in (text, *text.splitlines()))
    return any(_has_secret(form) for line in lines for form in _forms(line))


def _forms(line: str) -> Iterable[str]:
    """A line, and its forms with disguised, marked or separated letters restored."""
    plain = normalize("NFKC", line)
    bare = _MARKUP.sub("", plain)
    joined = _SPACED.sub(lambda match: match[0].replace(" ", ""), bare)
    return dict.fromkeys((line, plain, bare, joined, *(() if bare.isascii() else (as_seen(bare),))))


def _has_secret(line: str) -> bool:
    if _SHAPES.search(line) or any(not _is_harmless(each) for each in _BARE_SECRET.findall(line)):
        return True
    if any(_is_value(match) for match in _NAMED_SECRET.finditer(line)):
        return True
    if any(not _is_harmless(match["value"]) and not _is_word(match["value"]) for match in _OPTION.finditer(line)):
        return True
    return any(_is_random(run) for run in _RUN.findall(_PUBLIC.sub("", line)))


def _is_value(match: re.Match[str]) -> bool:
    """True if the text behind the name of a secret is the value, and not a sentence about the secret."""
    value = match["value"]
    if _is_harmless(value):
        return _PAIR.fullmatch(value) is not None
    if match["faint"]:
        return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and not _PATH.fullmatch(value)
    if match["weak"]:
        return _is_weak_value(match["weak"].lower(), value.rstrip(".,;"), is_end=not match["more"])
    name = match["name"].lower()
    if _NUMBER.fullmatch(value.rstrip(".,;:!?)")):
        return name.startswith(("pass", "pwd")) or not (match["several"] or name == "token")
    is_sentence = match["sign"][0].isalpha() or match["several"] or match["more"]
    return not (is_sentence and _is_word(value))


def _is_weak_value(name: str, value: str, *, is_end: bool) -> bool:
    """True if a value behind an ambiguous name is a secret: a PIN is all digits, a password has some digits."""
    if name == "pin":
        return value.isdecimal() and _SHORTEST_PIN <= len(value) <= _LONGEST_PIN
    return is_end and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_harmless(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    return _HARMLESS_VALUE.fullmatch(bare) is not None


def _is_word(value: str) -> bool:
    bare = value.rstrip(".,;:!?)")
    return _WORD.fullmatch(bare) is not None or _NUMBER.fullmatch(bare) is not None


def _is_random(run: str) -> bool:
    """True if a long run of characters is more like a key than like a word, a path or a digest."""
    if _HEX.fullmatch(run):
        return len(run) not in _DIGESTS
    return any(_is_random_part(part) for part in re.split(r"[/_=+-]", run) if len(part) >= _RANDOM)


def _is_random_part(part: str) -> bool:
    syllables = _SYLLABLES.findall(part)
    has_all = all(any(map(test, part)) for test in (str.isupper, str.islower, str.isdigit))
    return has_all and len(part) / len(syllables) < _SHORT_SYLLABLE
