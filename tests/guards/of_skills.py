"""Guards against skills of other people: names, links and bombs, hidden programs, and changes after a person's yes."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_MEMBER = "domain/policy/foreign_skill/test_member.py"
_SOURCE = "actors/skills/foreign/test_source.py"
_INSTALLED = "actors/skill_files/test_installed.py"
_GIT = "actors/cli/skills/test_git.py"
_COMMAND = "actors/cli/skills/test_command.py"
_CHANGE = f"{_INSTALLED}::test_each_kind_of_change_is_told_and_takes_the_skill_out_of_use"

OF_SKILLS: tuple[Guard, ...] = (
    *guards_of(
        "domain/policy/foreign_skill/member.py",
        (
            '    if part in ("", ".", ".."):\n',
            '    if part in ("", "."):\n',
            f"{_MEMBER}::test_a_name_that_could_lead_elsewhere_is_refused_with_its_rule",
        ),
        (
            '    if path.startswith("/"):\n',
            "    if False:\n",
            f"{_MEMBER}::test_a_name_that_could_lead_elsewhere_is_refused_with_its_rule",
        ),
        (
            "    if stat.S_ISLNK(member.mode):\n",
            "    if False:\n",
            f"{_MEMBER}::test_links_devices_and_special_modes_are_refused",
        ),
        (
            "    if special := stat.S_IMODE(member.mode) & _SPECIAL_BITS:\n",
            "    if special := 0:\n",
            f"{_MEMBER}::test_links_devices_and_special_modes_are_refused",
        ),
        (
            '    return unicodedata.normalize("NFC", path).casefold()\n',
            "    return path\n",
            f"{_MEMBER}::test_names_that_some_systems_take_for_one_are_refused",
        ),
    ),
    *guards_of(
        "actors/skills/foreign/package.py",
        (
            "        if fault := name_fault(member.path):\n",
            '        if fault := "":\n',
            f"{_SOURCE}::test_a_name_that_leads_out_refuses_the_whole_archive",
        ),
        (
            "    if fault := skill_fault(own):\n",
            '    if fault := "":\n',
            f"{_SOURCE}::test_links_devices_and_special_modes_are_refused_in_each_kind_of_source",
        ),
    ),
    *guards_of(
        "actors/skills/foreign/tar_archive.py",
        (
            "                if total > self._most_bytes:\n",
            "                if False:\n",
            f"{_SOURCE}::test_what_unpacks_to_too_much_is_refused_before_it_fills_anything",
        ),
        (
            "        if size < 0 or size > LONGEST_FILE_BYTES + 1:\n",
            "        if size < 0:\n",
            f"{_SOURCE}::test_a_tar_whose_header_asks_for_all_memory_is_refused",
        ),
    ),
    *guards_of(
        "actors/skills/foreign/store.py",
        (
            "    parse_record(text)\n",
            "",
            "actors/skills/foreign/test_store.py::test_a_record_that_could_not_be_read_again_is_not_written",
        ),
    ),
    *guards_of(
        "actors/skills/foreign/zip_archive.py",
        (
            "        if directory > MOST_DIRECTORY_BYTES:\n",
            "        if False:\n",
            f"{_SOURCE}::test_a_zip_whose_list_of_members_would_fill_the_memory_is_refused",
        ),
        (
            "        if place < 0 or not tail.startswith(_LARGE_PLACE, place):\n",
            "        if True:\n",
            f"{_SOURCE}::test_a_large_zip_does_not_hide_its_list_of_members_behind_a_small_end",
        ),
        (
            '    return info.orig_filename.removesuffix("/")\n',
            '    return info.filename.removesuffix("/")\n',
            f"{_SOURCE}::test_a_name_of_a_zip_that_ends_at_a_nul_for_some_readers_is_refused",
        ),
    ),
    *guards_of(
        "actors/cli/skills/git.py",
        (
            '            "GIT_ALLOW_PROTOCOL": scheme,\n',
            "",
            f"{_GIT}::test_helpers_that_run_programs_are_not_allowed_to_git",
        ),
        (
            "        if _bytes_below(self._folder) > self._most_bytes:\n",
            "        if False:\n",
            f"{_GIT}::test_a_repository_of_a_few_bytes_that_unpacks_to_all_disks_is_stopped",
        ),
        (
            "    if address.ref and not _REF.fullmatch(address.ref):\n",
            "    if False:\n",
            f"{_GIT}::test_a_reference_is_never_an_option",
        ),
    ),
    *guards_of(
        "actors/cli/skills/adding.py",
        (
            "            if is_grave and not self.despite:\n",
            "            if False:\n",
            f"{_COMMAND}::test_a_grave_finding_is_not_answered_by_yes_alone_and_steers_no_terminal",
        ),
        (
            "        if as_seen(other) == as_seen(name):\n",
            "        if False:\n",
            f"{_COMMAND}::test_a_name_that_is_taken_or_looks_like_another_is_refused",
        ),
    ),
    *guards_of(
        "actors/skill_files/folders.py",
        (
            "            scan.seen.add(real)\n",
            "",
            _CHANGE,
        ),
        (
            "            scan.seen.add(os.path.realpath(root))  # another root may lead here\n",
            "",
            f"{_INSTALLED}::test_a_damaged_record_takes_all_skills_of_its_folder_out_of_use",
        ),
        (
            '            scan.warnings.append(f"{fault}; no skill of this folder is used until the record can be")\n'
            "            return\n",
            "            pass\n",
            f"{_INSTALLED}::test_a_damaged_record_takes_all_skills_of_its_folder_out_of_use",
        ),
    ),
    *guards_of(
        "actors/shell/starting.py",
        (
            "*skills.hidden),\n",
            "),\n",
            "actors/shell/test_permissions.py::test_a_skill_whose_files_are_not_the_accepted_ones_is_seen_by_no_command",
        ),
    ),
)
