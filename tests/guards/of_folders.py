"""Guards against folders of others: their settings, secrets and names, and files in a command's reach."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_TRUST = "actors/settings/test_trust.py"
_CALLER = "actors/shell/sandbox/test_caller_folder.py"
_SECRET = "actors/settings/test_secret.py"
_SAFE = "actors/linux/test_safe_open.py"
_DISBELIEVED = f"{_TRUST}::test_a_list_that_cannot_be_believed_trusts_nothing_and_is_named"
_NAMES = f"{_CALLER}::test_secrets_are_hidden_and_what_programs_obey_is_protected_however_deep"
_MADE = "actors/shell/sandbox/test_made_names.py"

OF_FOLDERS: tuple[Guard, ...] = (
    *guards_of(
        "domain/policy/folder_trust.py",
        (
            "Standing.TRUSTED if known == digest else Standing.CHANGED",
            "Standing.TRUSTED",
            "domain/policy/test_folder_trust.py::test_place_and_content_are_trusted_together",
        ),
        (
            '        if not path.startswith("/"):\n',
            "        if False:\n",
            "domain/policy/test_folder_trust.py::test_what_is_no_list_is_refused_with_the_rule",
        ),
    ),
    *guards_of(
        "actors/settings/trust.py",
        (
            "os.path.join(os.path.realpath(path.parent), path.name)",
            "os.path.realpath(path)",
            f"{_TRUST}::test_a_link_to_a_trusted_file_makes_no_other_folder_trusted",
        ),
        (
            "    if not state.is_absolute():\n",
            "    if not environ.get(STATE_VARIABLE):\n",
            f"{_TRUST}::test_no_variable_has_the_list_looked_for_in_the_folder_one_stands_in",
        ),
        (
            '            _require_own(os.fstat(stream.fileno()), path, 0o077, "600")\n',
            "",
            _DISBELIEVED,
        ),
        ('            _require_own(path.parent.stat(), path.parent, 0o022, "700")\n', "", _DISBELIEVED),
        ("os.O_RDONLY | os.O_NOFOLLOW", "os.O_RDONLY", _DISBELIEVED),
        (
            "    if status.st_uid not in (os.geteuid(), 0):\n",
            "    if False:\n",
            f"{_TRUST}::test_a_list_of_another_user_is_not_believed",
        ),
    ),
    *guards_of(
        "actors/settings/harmless.py",
        (
            'if f"{name}.{key}" in HARMLESS}',
            "}",
            "actors/settings/test_harmless.py"
            "::test_of_all_settings_only_the_listed_ones_are_taken_from_an_untrusted_folder",
        ),
        (
            '        "shell.timeout_s",\n',
            '        "shell.timeout_s",\n        "shell.sandbox",\n',
            "actors/settings/test_harmless.py::test_what_could_do_harm_is_not_on_the_list",
        ),
    ),
    *guards_of(
        "actors/settings/unnamed.py",
        (
            "    return path, path.is_absolute()\n",
            "    return path, CONFIG_VARIABLE in environ\n",
            "actors/settings/test_unnamed.py::test_a_variable_names_a_file_only_by_a_full_path",
        ),
        (
            "harmless_values(whole.values)",
            "whole.values",
            "e2e/test_hostile_folder.py::test_agent_cli_sends_the_author_no_key_and_no_word_and_says_so_in_one_line",
        ),
    ),
    *guards_of(
        "actors/settings/secret.py",
        (
            "environ.pop(name).strip()",
            "environ[name].strip()",
            f"{_SECRET}::test_secrets_of_the_environment_are_taken_out_of_it",
        ),
        (
            "        if standing is not Standing.TRUSTED:\n",
            "        if False:\n",
            "e2e/test_hostile_folder.py::test_keys_of_the_author_are_not_taken",
        ),
        (
            "    if status.st_mode & 0o077:\n",
            "    if False:\n",
            f"{_SECRET}::test_a_file_open_to_others_is_refused_with_the_command_that_mends_it",
        ),
        (
            "    if status.st_uid not in (os.geteuid(), 0):\n",
            "    if False:\n",
            f"{_SECRET}::test_a_file_of_another_user_is_refused",
        ),
        (
            "os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK",
            "os.O_RDONLY | os.O_CLOEXEC",
            f"{_SECRET}::test_a_pipe_or_a_folder_is_refused_at_once",
        ),
        (
            '        raise TypeError("secrets are not for pickling or copying")\n',
            "        return super().__reduce__()  # type: ignore[return-value]\n",
            f"{_SECRET}::test_secrets_leave_the_process_by_no_pickle",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/kept_names.py",
        ('"*.env.*", ', "", _NAMES),
        ('(".ssh", ', "(", _NAMES),
        ('".aws", ', "", _NAMES),
        ('(".netrc", ', "(", _NAMES),
        ('"*.pem", "*.key"', '"*.pem"', _NAMES),
        ('NEVER_SHOWN = ("*key*.pem", ', "NEVER_SHOWN = (", _NAMES),
        (
            "_matcher(HIDDEN, _COPY)",
            "_matcher(HIDDEN)",
            f"{_CALLER}::test_a_copy_that_somebody_kept_of_a_secret_is_hidden",
        ),
        ('    path = f"{folder}/{name}".casefold()\n', '    path = f"{folder}/{name}"\n', _NAMES),
    ),
    *guards_of(
        "actors/shell/sandbox/obeyed_names.py",
        ('    *(".git", ".gitmodules"', '    *(".gitmodules"', _NAMES),
        ('    *(".bashrc", ', "    *(", _NAMES),
        ('    *("agent.toml",),\n', "", _NAMES),
        ('    *(".vscode", ', "    *(", _NAMES),
    ),
    *guards_of(
        "actors/shell/sandbox/caller_folder.py",
        (
            '    if here == "/" or is_below(here, (*private, *_SYSTEM)):\n',
            "    if is_below(here, tuple(private)):\n",
            f"{_CALLER}::test_what_is_the_systems_is_refused",
        ),
        (
            "    if any(is_secret(each.name, each.parent.name) for each in (Path(here), *Path(here).parents)):\n",
            "    if False:\n",
            f"{_CALLER}::test_a_folder_that_is_itself_a_secret_or_in_one_is_refused",
        ),
        (
            "        _check_links(here, (*decisions.private, *decisions.unchanging))\n",
            "",
            f"{_CALLER}::test_where_a_link_stands_for_what_is_kept_nothing_is_written",
        ),
        (
            "                    _refuse_link(here, entry.path)\n",
            "                    pass\n",
            f"{_CALLER}::test_where_a_link_stands_for_what_is_kept_nothing_is_written",
        ),
        (
            "        twins = _twins([path], is_hidden=is_hidden) | twins\n",
            "",
            f"{_CALLER}::test_every_other_name_of_a_kept_file_counts_as_it_does",
        ),
        (
            "_twins(private, is_hidden=True)",
            "{}",
            f"{_CALLER}::test_another_name_of_the_secrets_in_force_is_hidden_too",
        ),
        (
            "    if is_below(home, (here,)):\n",
            "    if False:\n",
            f"{_CALLER}::test_nobody_lets_commands_write_to_a_home_or_to_the_running_program",
        ),
        (
            '        if is_below(here, (path,)):\n            raise RefusedError(f"Commands cannot be let write in {here}: the',
            '        if False:\n            raise RefusedError(f"Commands cannot be let write in {here}: the',
            f"{_CALLER}::test_nobody_lets_commands_write_to_a_home_or_to_the_running_program",
        ),
        (
            "        if is_obeyed(each.name, each.parent.name) or (is_git_store(_names(each)) and is_of_store(here, each)):\n",
            "        if False:\n",
            f"{_CALLER}::test_nobody_lets_commands_write_inside_what_programs_obey",
        ),
        (
            "    yield from _of_home(here)\n",
            "",
            f"{_CALLER}::test_what_links_of_the_home_directory_lead_to_is_kept",
        ),
        (
            "        if entries is None:\n            yield folder, True\n            continue\n",
            "        if entries is None:\n            continue\n",
            f"{_CALLER}::test_what_cannot_be_listed_is_hidden_as_a_whole",
        ),
        (
            "    if not is_plain:\n        return True\n",
            "",
            f"{_CALLER}::test_sockets_and_pipes_are_hidden_for_they_lead_out_of_a_folder_that_is_only_read",
        ),
        (
            "        if seen > most_entries:\n",
            "        if False:\n",
            f"{_CALLER}::test_a_folder_with_too_many_names_is_refused_rather_than_half_searched",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/git_store.py",
        (
            "                yield path\n",
            "                yield from ()\n",
            f"{_CALLER}::test_stores_and_hooks_of_git_are_protected_wherever_they_are",
        ),
    ),
    *guards_of(
        "actors/linux/safe_open.py",
        (
            "_RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS",
            "_RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS",
            f"{_SAFE}::test_an_attack_is_refused_with_the_rule_that_it_breaks",
        ),
        (
            "_RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS",
            "_RESOLVE_NO_SYMLINKS",
            f"{_SAFE}::test_an_attack_is_refused_with_the_rule_that_it_breaks",
        ),
        (
            "    if state.st_nlink != 1:\n",
            "    if False:\n",
            f"{_SAFE}::test_an_attack_is_refused_with_the_rule_that_it_breaks",
        ),
        (
            "    if not stat.S_ISREG(state.st_mode):\n",
            "    if False:\n",
            f"{_SAFE}::test_an_attack_is_refused_with_the_rule_that_it_breaks",
        ),
        (
            "    if len(data) > max_bytes:\n",
            "    if False:\n",
            f"{_SAFE}::test_a_file_that_grows_beyond_the_limit_is_refused",
        ),
    ),
    *guards_of(
        "actors/linux/regular_file.py",
        (
            "_AT_ONCE = os.O_NONBLOCK | ",
            "_AT_ONCE = ",
            "actors/linux/test_regular_file.py::test_what_is_no_regular_file_is_refused_at_once_and_not_left_open",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/made_names.py",
        (
            "for path in private}, sys.maxsize)) - before",
            "for path in private}, READING.most_entries)) - before",
            f"{_MADE}::test_however_many_entries_commands_have_made_the_names_among_them_are_set_aside",
        ),
        (
            "    folder, name = os.path.split(path)\n    _open_up(folder)\n",
            "    folder, name = os.path.split(path)\n",
            f"{_MADE}::test_no_folder_that_commands_have_shut_keeps_a_name_in_it",
        ),
        (
            "    here = os.path.realpath(folder)\n    _open_up(here)\n",
            "    here = os.path.realpath(folder)\n",
            f"{_MADE}::test_no_folder_that_commands_have_shut_keeps_a_name_in_it",
        ),
        (
            '"" if path == here else _rename(path)',
            "_rename(path) or path",
            f"{_MADE}::test_a_folder_that_cannot_be_opened_again_is_named_and_keeps_its_name",
        ),
        (
            "        if of_store == STORE:\n",
            "        if False:\n",
            f"{_MADE}::test_a_store_of_git_is_none_any_more_whatever_it_is_called",
        ),
        (
            "entry.is_symlink() and not is_below(os.path.realpath(entry.path), (here, *SYSTEM_FOLDERS))",
            "False",
            f"{_MADE}::test_links_out_of_the_folder_are_set_aside_and_links_within_stay",
        ),
        (
            "        except OSError:\n            yield folder\n",
            "        except OSError:\n            pass\n",
            f"{_MADE}::test_what_cannot_be_listed_is_set_aside_as_a_whole",
        ),
    ),
    *guards_of(
        "actors/settings/document.py",
        (
            "    if long := _LONG_KEY.search(text):\n",
            "    if long := None:\n",
            "actors/settings/test_load.py::test_very_long_dotted_keys_are_refused_before_they_cost_a_minute",
        ),
    ),
)
