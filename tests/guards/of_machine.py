"""Guards of what stands around the sandbox: sessions, late mounts, shown copies, backups, a planted data root and its folders."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_FILTER = "actors/shell/sandbox/test_filter.py"
_COPY = "actors/shell/sandbox/test_shown_copy.py"
_LATE = "actors/shell/sandbox/test_late_mounts.py"
_MOUNTER = "actors/shell/sandbox/watcher/test_mounter.py"
_BACKUP = "actors/cli/test_backup.py::test_a_backup_of_a_running_agent_holds_no_secret_that_the_agent_knows"
_PLANTED = (
    "actors/context/log/test_hostile_root.py::test_what_is_planted_in_a_data_root_leads_nowhere_and_holds_up_nobody"
)
_FOLDERS = "actors/context/log/test_root_folders.py"
_OBSTACLE = f"{_FOLDERS}::test_whatever_stands_in_the_place_of_a_folder_ends_a_start_in_one_sentence"
_ELSEWHERE = f"{_FOLDERS}::test_a_link_to_anything_else_is_refused_with_its_target"
_THEIRS = f"{_FOLDERS}::test_a_link_into_the_folder_of_another_user_or_made_by_one_is_refused"
_EVERY_COMMAND = (
    "actors/cli/test_agent_cli.py::test_a_data_root_with_a_pipe_in_the_place_of_a_folder_is_named_by_every_command"
)
_PIPE = "actors/cli/test_logs.py::test_a_pipe_among_the_logs_is_named_with_the_rule"
_SET_ID = f"{_FILTER}::test_no_file_is_made_with_set_id_bits_whatever_call_makes_it"

OF_MACHINE: tuple[Guard, ...] = (
    *guards_of(
        "actors/shell/sandbox/filter.py",
        (', "mknod": 1, "mknodat": 2}', "}", _SET_ID),
        ("    for name, (flags, mode) in OPENING.items():\n", "    for name, (flags, mode) in ():\n", _SET_ID),
        ('    yield "openat2", [_refuse(errno.ENOSYS)]\n', "", _SET_ID),
        (
            "[BEGINNING_A_SESSION] if bounds_sessions else []",
            "list[str]()",
            f"{_FILTER}::test_a_session_is_begun_unless_the_kernel_would_give_each_as_much_of_the_processor",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/watcher/supervisor.py",
        (
            "            self._is_calm = self._calm_session()\n",
            "            self._is_calm = True\n",
            "abuse/test_sessions.py::test_the_one_session_of_a_command_gives_way_as_its_processes_do",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/enclosure.py",
        (
            "    return _kernel() >= _MOUNTS_BY_DESCRIPTOR\n",
            "    return False\n",
            f"{_MOUNTER}::test_where_a_kept_name_is_a_link_by_then_the_folder_is_only_read",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/late_mounts.py",
        (
            "{*view.own, *view.folders, *shared}",
            "{*view.own}",
            f"{_LATE}::test_what_is_only_read_here_may_be_changed_by_another_command_meanwhile",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/watcher/mounter.py",
        (
            "    if stat.S_ISLNK(os.fstat(place).st_mode):\n",
            "    if False:\n",
            f"{_MOUNTER}::test_where_a_hidden_name_is_a_link_by_then_nothing_of_the_folder_is_shown",
        ),
        (
            "_PART = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC\n",
            "_PART = os.O_PATH | os.O_CLOEXEC\n",
            f"{_MOUNTER}::test_where_a_hidden_name_is_a_link_by_then_nothing_of_the_folder_is_shown",
        ),
        (
            "                syscall.change_mount(folder, attributes=syscall.READ_ONLY)\n",
            "                pass\n",
            f"{_MOUNTER}::test_where_a_kept_name_is_a_link_by_then_the_folder_is_only_read",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/shown_copy.py",
        (
            "_CREDENTIALS.sub(_without_credentials, line)",
            "line",
            f"{_COPY}::test_of_git_s_settings_all_is_shown_but_what_is_secret",
        ),
        (
            "_NAMED.match(line) is not None or ",
            "",
            f"{_COPY}::test_of_git_s_settings_all_is_shown_but_what_is_secret",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/caller_folder.py",
        (
            "_twins([*copies, *unreadable], is_hidden=True) | twins",
            "twins",
            f"{_COPY}::test_another_name_of_such_a_file_is_hidden",
        ),
    ),
    *guards_of(
        "actors/shell/starting.py",
        (
            "        readable = (*readable, *self._copies)\n",
            "",
            "actors/cli/test_agent_cli.py::test_a_token_in_a_repositorys_settings_is_not_read",
        ),
    ),
    *guards_of("actors/backup/selection.py", (" | secret_names()", "", _BACKUP)),
    *guards_of(
        "actors/backup/copying.py",
        ("    there.chmod(stat.S_IMODE(status.st_mode) & 0o777)\n", "", _BACKUP),
    ),
    *guards_of(
        "actors/linux/disk.py",
        (
            "_FILE_MODE = 0o600\n",
            "_FILE_MODE = 0o644\n",
            "actors/linux/test_disk.py::test_a_secret_file_is_for_its_owner_alone_and_whole",
        ),
        (
            "    if name not in SECRET_FILES:\n",
            "    if not name:\n",
            "actors/linux/test_disk.py::test_a_secret_file_that_is_not_on_the_list_of_backups_is_not_written",
        ),
    ),
    *guards_of(
        "actors/context/log/reserve.py",
        ("or status.st_nlink > 1:\n        raise", "or False:\n        raise", _PLANTED),
    ),
    *guards_of("actors/linux/held_file.py", (" and os.fstat(self._fd).st_nlink == 1", "", _PLANTED)),
    *guards_of(
        "actors/memory/search/views.py",
        (
            "            remove_tree(FOLDER, parent)",
            "            __import__('shutil').rmtree(root / FOLDER)",
            "actors/memory/search/test_views.py::"
            "test_what_another_person_put_in_the_place_of_the_views_is_taken_away_and_not_waited_for",
        ),
    ),
    *guards_of(
        "actors/context/log/root_folders.py",
        ("    elif kind != stat.S_IFDIR:\n", "    elif False:\n", _OBSTACLE),
        ("        yield from surface_faults(root / name)\n", "        pass\n", _OBSTACLE),
        ("stat.S_IFLNK and may_link", "stat.S_IFLNK", f"{_FOLDERS}::test_no_surface_of_one_is_a_link"),
        ("    if link.st_uid not in owners:\n", "    if False:\n", _THEIRS),
        ("    elif target.st_uid not in owners:\n", "    elif False:\n", _THEIRS),
        ("    if not stat.S_ISDIR(target.st_mode):\n", "    if False:\n", _ELSEWHERE),
        (
            "    target_name = repr(str(path.readlink()))[1:-1]\n",
            "    target_name = path.readlink()\n",
            f"{_FOLDERS}::test_a_links_name_and_target_steer_no_terminal",
        ),
    ),
    *guards_of(
        "actors/context/log/data_root.py",
        ("                raise DataRootError(fault)\n", "                pass\n", _OBSTACLE),
    ),
    *guards_of("actors/cli/agent_cli.py", ("        fail(fault)\n", "        pass\n", _EVERY_COMMAND)),
    *guards_of("actors/context/checks.py", ("Level.FAIL, fault, repair)", "Level.WARN, path.name)", _EVERY_COMMAND)),
    *guards_of(
        "actors/cli/logs.py",
        ("                fail(fault)\n", "                pass\n", _PIPE),
        ("        return read_regular(path)\n", "        return path.read_bytes()\n", _PIPE),
    ),
    *guards_of(
        "actors/backup/copying.py",
        (
            "            raise BackupError(fault)\n        for name",
            "            pass\n        for name",
            "actors/backup/test_copying.py"
            "::test_where_a_pipe_or_a_link_to_nothing_stands_for_a_folder_there_is_no_backup",
        ),
    ),
)
