"""Guards of the sandbox: the filter, the namespaces and mounts, the environment, the trial."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_FILTER = "actors/shell/sandbox/test_filter.py"
_VIEW = "actors/shell/sandbox/test_view.py"
_JAIL = "actors/shell/test_jail.py"
_CHOICE = "actors/shell/sandbox/test_choice.py"
_LAUNCH = "actors/shell/test_launch.py"
_LISTED = f"{_FILTER}::test_every_class_of_calls_that_no_command_needs_is_named"

OF_SANDBOX: tuple[Guard, ...] = (
    *guards_of(
        "actors/shell/sandbox/filter.py",
        ('    "ptrace",\n', "", _LISTED),
        ('    "process_vm_writev",\n', "", _LISTED),
        ('    "pidfd_getfd",\n', "", _LISTED),
        ('    "keyctl",\n', "", _LISTED),
        ('    "bpf",\n', "", _LISTED),
        ('    "userfaultfd",\n', "", _LISTED),
        ('    "io_uring_setup",\n', "", _LISTED),
        ('    "perf_event_open",\n', "", _LISTED),
        ('    "mount",\n', "", _LISTED),
        ('    "move_mount",\n', "", _LISTED),
        ('    "setns",\n', "", _LISTED),
        ('    "unshare",\n', "", _LISTED),
        ('    "chroot",\n', "", _LISTED),
        ('    "open_by_handle_at",\n', "", _LISTED),
        ('    "init_module",\n', "", _LISTED),
        ('["memfd_create", ', "[", _LISTED),
        (
            "    yield _Instruction(_IF_EQUAL, processor.audit_arch, 1, 0)\n    yield _Instruction(_RETURN, _KILL_PROCESS)\n",
            "",
            f"{_FILTER}::test_another_calling_convention_ends_the_process",
        ),
        (
            "    if processor.first_foreign_number is not None:\n",
            "    if False:\n",
            f"{_FILTER}::test_another_calling_convention_ends_the_process",
        ),
        (
            '    yield "clone3", [_refuse(errno.ENOSYS)]\n',
            "",
            f"{_FILTER}::test_processes_and_threads_are_made_but_no_namespaces",
        ),
        (
            '    yield "clone", [*_refuse_if_any_bit(0, NAMESPACES), _Instruction(_RETURN, _ALLOW)]\n',
            "",
            f"{_FILTER}::test_processes_and_threads_are_made_but_no_namespaces",
        ),
        (
            "*(OF_NOBODYS_MEMORY if bounds_memory else ())",
            "*()",
            f"{_FILTER}::test_memory_of_nobodys_is_made_only_where_a_group_counts_it",
        ),
        (
            "    yield PREALLOCATING, [_refuse(errno.EOPNOTSUPP)]\n",
            "",
            f"{_FILTER}::test_disk_is_not_taken_in_advance_and_others_are_not_made_to_wait",
        ),
        (
            '    yield "ioctl", [*_refuse_if_kind(1, PREALLOCATING_KIND), _Instruction(_RETURN, _ALLOW)]\n',
            "",
            f"{_FILTER}::test_disk_is_not_taken_in_advance_and_others_are_not_made_to_wait",
        ),
        (
            '    yield "fcntl", [*of_waiting, _Instruction(_RETURN, _ALLOW)]\n',
            "",
            f"{_FILTER}::test_disk_is_not_taken_in_advance_and_others_are_not_made_to_wait",
        ),
        (
            '    yield "ioprio_set", [*_refuse_if_equal(0, OF_A_USER), _Instruction(_RETURN, _ALLOW)]\n',
            "",
            f"{_FILTER}::test_disk_is_not_taken_in_advance_and_others_are_not_made_to_wait",
        ),
        (
            "[*_refuse_if_any_bit(argument, SET_ID_BITS), _Instruction(_RETURN, _ALLOW)]",
            "[_Instruction(_RETURN, _ALLOW)]",
            f"{_FILTER}::test_modes_are_set_but_for_set_id_bits",
        ),
        (
            '    yield "socket", _only_domains(AF_UNIX, AF_INET, AF_INET6, AF_NETLINK)\n',
            "",
            f"{_FILTER}::test_sockets_of_the_usual_kinds_are_made",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/bubblewrap.py",
        (
            '        yield "--unshare-net"\n',
            "        pass\n",
            f"{_CHOICE}::test_where_bubblewrap_runs_there_is_a_sandbox",
        ),
        ('"--unshare-pid", ', "", f"{_VIEW}::test_bubblewrap_is_told_to_leave_no_privilege_and_no_network"),
        ('"--cap-drop", "ALL", ', "", f"{_VIEW}::test_bubblewrap_is_told_to_leave_no_privilege_and_no_network"),
        ('"--disable-userns", ', "", f"{_VIEW}::test_bubblewrap_is_told_to_leave_no_privilege_and_no_network"),
        ('"--die-with-parent", ', "", f"{_VIEW}::test_bubblewrap_is_told_to_leave_no_privilege_and_no_network"),
        (', "--new-session")', ",)", f"{_VIEW}::test_bubblewrap_is_told_to_leave_no_privilege_and_no_network"),
        ('"--seccomp", str(FILTER_FD), ', "", f"{_JAIL}::test_parts_of_the_kernel_that_no_command_needs_are_shut"),
        (
            '*_COVERED_FIRST_PROCESS, "--remount-ro", "/proc", ',
            "*_COVERED_FIRST_PROCESS, ",
            f"{_VIEW}::test_what_the_kernel_shows_can_only_be_read",
        ),
        (
            '    mounts += [("--ro-bind", "/dev/null", path) for path in view.hidden if path not in covers]\n',
            "",
            f"{_VIEW}::test_bubblewrap_lays_nothing_over_what_is_hidden",
        ),
        (
            '        yield "--ro-bind-try", path, path\n    for path in covers:\n',
            "        pass\n    for path in covers:\n",
            f"{_VIEW}::test_what_is_protected_and_hidden_lies_over_what_is_own_and_shown",
        ),
        (
            '        yield "--bind", path, path\n    for path in view.protected:\n',
            "        pass\n    for path in view.protected:\n",
            "actors/shell/test_permissions.py::test_no_folder_above_what_is_kept_can_be_moved_away_with_it",
        ),
        (
            '    mounts += [("--remount-ro", path) for path in (*private, *closed, "/")]\n',
            "",
            f"{_JAIL}::test_what_needs_a_privilege_fails",
        ),
        (
            "    for path in private:\n        yield cover(path)\n",
            "",
            "actors/shell/test_permissions.py"
            "::test_what_is_the_agents_own_is_not_shown_with_programs_beside_which_it_lies",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/choice.py",
        (
            '        if output != b"in\\n":\n',
            "        if False:\n",
            f"{_CHOICE}::test_a_bubblewrap_that_holds_nothing_back_is_found_out",
        ),
        (
            '            output += b"writes where it should not"\n',
            "            pass\n",
            f"{_CHOICE}::test_a_sandbox_that_lets_the_trial_remove_what_it_should_not_reach_is_found_out",
        ),
        (
            '    return Level(None, f"refusing: {refusal}", refusal)\n\n\ndef sandbox_level',
            '    return Level(None, "none: nothing works")\n\n\ndef sandbox_level',
            f"{_CHOICE}::test_where_none_works_everything_is_refused_with_the_remedy",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/binary.py",
        (
            "    if tuple(map(int, version.groups())) < LEAST_VERSION:\n",
            "    if False:\n",
            f"{_CHOICE}::test_a_bubblewrap_that_does_not_do_is_passed_over_and_named",
        ),
    ),
    *guards_of(
        "actors/shell/sandbox/scope.py",
        (
            "        syscall.landlock_restrict_self(rules)\n",
            "        pass\n",
            "actors/shell/test_permissions.py::test_an_open_network_has_no_way_to_abstract_sockets_outside",
        ),
    ),
    *guards_of(
        "actors/shell/launch.py",
        (
            "{name: inherited[name] for name in PASSED_ON if name in inherited}",
            "dict(inherited)",
            f"{_LAUNCH}::test_the_environment_holds_what_is_listed_here_and_nothing_else",
        ),
        (
            'for folder in path.split(os.pathsep) if folder.startswith("/")',
            "for folder in path.split(os.pathsep)",
            f"{_LAUNCH}::test_no_program_is_looked_for_relative_to_the_working_directory",
        ),
        ('"--noprofile", "--norc", ', "", f"{_LAUNCH}::test_bash_gets_the_command_as_one_argument"),
    ),
    *guards_of(
        "actors/shell/log_visibility.py",
        (
            '        if self._scope == "global" or ',
            "        if True or ",
            "actors/shell/test_log_visibility.py::test_in_its_context_a_windows_own_logs_are_shown",
        ),
        (
            "        if mount_point.is_symlink():\n            mount_point.unlink()\n",
            "",
            "actors/shell/test_log_visibility.py::test_a_link_in_the_place_of_the_mount_point_is_replaced",
        ),
        (
            "        return ((str(logs), str(logs)), *((str(copy), str(at)) for copy, at in zip(copies, shown_at, strict=True)))\n",
            "        return ((str(logs), str(logs)),)\n",
            "actors/shell/test_log_visibility.py::test_over_a_log_from_which_words_were_taken_back_lies_its_copy",
        ),
    ),
    *guards_of(
        "actors/linux/hardening.py",
        (
            "libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0",
            "libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0) != 0",
            "actors/linux/test_hardening.py"
            "::test_a_child_of_the_same_user_can_no_longer_read_the_agents_environment_memory_or_descriptors",
        ),
    ),
)
