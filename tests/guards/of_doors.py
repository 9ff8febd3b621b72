"""Guards of doors: the control sockets, the gateway of facts, and what leaves the machine."""

from __future__ import annotations

from tests.guards.guard import Guard, guards_of

_SANDBOX = "actors/socket/test_sandbox.py"
_OPERATOR = "actors/socket/test_operator.py"
_DOORS = "actors/socket/test_actor.py"
_CLIENT = "actors/socket/test_client.py"
_ACCESS = "actors/gateway/test_access.py"
_SERVER = "actors/gateway/test_server.py"
_PLACES = "actors/gateway/test_places.py"
_CONFIG = "actors/gateway/test_config.py"
_BODY = "actors/gateway/test_body.py"
_SIDES = "real/gateway/test_clients.py::test_keys_stay_on_their_side"
_PEER = "actors/linux/test_tcp_peer.py"
_ADDRESS = "actors/web/test_address.py"
_PERMISSION = "actors/web/test_permission.py"
_PAGE = "actors/web/test_page.py"
_CLOUDS = f"{_ADDRESS}::test_what_clouds_tell_their_machines_is_not_public"
_SPECIAL = f"{_ADDRESS}::test_addresses_of_this_machine_its_networks_and_special_uses_are_not"

OF_DOORS: tuple[Guard, ...] = (
    *guards_of(
        "actors/socket/door.py",
        (
            "        if uid not in self._allowed_uids:\n",
            "        if False:\n",
            f"{_SANDBOX}::test_a_process_of_another_user_is_turned_away_even_if_the_file_system_lets_it_in",
        ),
        (
            "                if connection.is_gone:\n                    return\n",
            "",
            "actors/socket/test_load.py::test_what_a_client_asked_that_has_gone_is_never_carried_out",
        ),
    ),
    *guards_of(
        "actors/socket/actor.py",
        (
            '        if not hmac.compare_digest(request.key.encode("utf-8", "replace"), self._key.encode("ascii")):\n',
            "        if False:\n",
            f"{_OPERATOR}::test_nothing_is_done_without_the_key",
        ),
    ),
    *guards_of(
        "actors/socket/paths.py",
        (
            "        unborn.chmod(0o600)\n",
            "",
            f"{_DOORS}::test_sockets_are_for_this_user_in_a_folder_that_nobody_else_can_list",
        ),
        (
            "        with reachable(unborn) as address:\n            bound.bind(address)\n        unborn.chmod(0o600)\n"
            "        unborn.rename(path)\n",
            "        path.unlink(missing_ok=True)\n        with reachable(path) as address:\n            bound.bind(address)\n"
            "        path.chmod(0o600)\n",
            f"{_DOORS}::test_no_list_of_the_machines_sockets_gives_a_doors_name_away",
        ),
    ),
    *guards_of(
        "actors/socket/doors.py",
        (
            "        self._folder.chmod(0o700)\n",
            "        self._folder.chmod(0o755)\n",
            f"{_DOORS}::test_sockets_are_for_this_user_in_a_folder_that_nobody_else_can_list",
        ),
        (
            "{secrets.token_hex(_SECRET_BYTES)}{SUFFIX}",
            "door-{len(self)}{SUFFIX}",
            f"{_DOORS}::test_names_of_doors_have_nothing_in_common",
        ),
    ),
    *guards_of(
        "actors/socket/client.py",
        (
            "        if user != owner or os.geteuid() not in (user, 0):\n",
            "        if False:\n",
            f"{_CLIENT}::test_a_process_of_another_user_than_the_keys_gets_neither_key_nor_words",
        ),
        ("os.O_RDONLY | os.O_NOFOLLOW", "os.O_RDONLY", f"{_CLIENT}::test_a_key_that_is_a_link_is_not_read"),
    ),
    *guards_of(
        "actors/gateway/access.py",
        (
            '        if not is_loopback(_hostname(f"//{host}")):\n',
            "        if False:\n",
            f"{_SERVER}::test_without_keys_only_names_of_this_machine_are_served",
        ),
        (
            "        if origin is not None and not is_loopback(_hostname(origin)) and not self.knows(origin):\n",
            "        if False:\n",
            f"{_SERVER}::test_a_web_page_of_another_place_cannot_write_into_a_memory",
        ),
        (
            '        if origin is None and headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin", "same-site"):\n',
            "        if False:\n",
            f"{_ACCESS}::test_pages_of_other_places_are_not_served",
        ),
        (
            "        if not prefixes:\n",
            '        prefixes = prefixes or [""]\n        if not prefixes:\n',
            f"{_SERVER}::test_with_keys_nobody_is_served_without_one",
        ),
        ('if scheme.lower() == "bearer" else b""', "", f"{_SERVER}::test_with_keys_nobody_is_served_without_one"),
        (
            "        if not memory_id.startswith(self.prefix):\n",
            "        if False:\n",
            f"{_SERVER}::test_a_key_names_only_conversations_of_its_own",
        ),
        (
            '        return f"{self.prefix}{SHARED}"\n',
            "        return SHARED\n",
            f"{_SERVER}::test_a_key_names_only_conversations_of_its_own",
        ),
    ),
    *guards_of(
        "actors/gateway/config.py",
        (
            "    if not table.keys and not is_loopback(table.gateway_address):\n",
            "    if False:\n",
            f"{_CONFIG}::test_any_address_but_loopback_takes_a_key",
        ),
        (
            "        if len(key) < SHORTEST_KEY:\n",
            "        if False:\n",
            f"{_CONFIG}::test_keys_that_would_not_guard_are_refused_by_name",
        ),
        (
            "            if prefix and other.startswith(prefix):\n",
            "            if False:\n",
            f"{_CONFIG}::test_keys_that_would_not_guard_are_refused_by_name",
        ),
        (
            "        if key in owners:\n",
            "        if False:\n",
            f"{_CONFIG}::test_keys_that_would_not_guard_are_refused_by_name",
        ),
    ),
    *guards_of(
        "actors/gateway/server.py",
        (
            "            await self._require_own_user(request)\n",
            "            pass\n",
            f"{_PLACES}::test_the_kernel_s_table_decides_who_is_served",
        ),
        (
            "        if uid not in (self._config.own_uid, ROOT_UID):\n",
            "        if uid is not None and uid not in (self._config.own_uid, ROOT_UID):\n",
            f"{_PLACES}::test_a_kernel_that_tells_nothing_lets_no_one_in",
        ),
        (
            "        if not self._listener.admit(request, caller.prefix):\n",
            "        if False:\n",
            f"{_PLACES}::test_one_key_has_at_most_its_part_of_the_places",
        ),
        (
            "        if self._config.keys and not is_below and not path.startswith(self._config.open_paths):\n",
            "        if False:\n",
            _SIDES,
        ),
    ),
    *guards_of(
        "actors/gateway/passing.py",
        (
            '        if not path.startswith("/") or any(unquote(part) in (".", "..") for part in path.split("/")):\n',
            "        if False:\n",
            "actors/gateway/test_passing.py::test_no_path_leads_out_of_the_server",
        ),
        (
            '        if not self._takes_clients_key or "Authorization" not in headers:\n',
            '        if "Authorization" not in headers:\n',
            f"{_SERVER}::test_a_key_of_ours_never_goes_on",
        ),
        (
            "            headers.popall(name, None)\n        if not self",
            "            pass\n        if not self",
            _SIDES,
        ),
        (
            '_HOP | _OURS | {"cookie"}',
            "_HOP | _OURS",
            f"{_SERVER}::test_headers_pass_but_those_of_the_connection",
        ),
        ("        pieces = _hide_key(pieces, hidden.encode())\n", "        pass\n", _SIDES),
        (
            "allow_redirects=False",
            "allow_redirects=True",
            f"{_SERVER}::test_a_redirect_is_passed_on_and_not_followed",
        ),
    ),
    *guards_of(
        "actors/gateway/body.py",
        (
            "        if (request.content_length or 0) > bounds.most_bytes:\n",
            "        if False:\n",
            f"{_BODY}::test_a_body_that_says_that_it_is_too_long_is_refused_before_it_is_read",
        ),
        (
            "            if size > bounds.most_bytes:\n",
            "            if False:\n",
            f"{_BODY}::test_a_body_in_chunks_is_refused_as_soon_as_it_is_too_long",
        ),
        (
            "        if self._sizes[owner] + size > of_one < most:\n",
            "        if False:\n",
            f"{_BODY}::test_one_owner_has_only_its_part_of_the_room",
        ),
    ),
    *guards_of(
        "actors/gateway/own_key.py",
        (
            "    if status.st_uid != os.geteuid() or status.st_mode & 0o077:\n",
            "    if False:\n",
            "actors/gateway/test_own_key.py::test_a_file_that_is_no_safe_key_is_refused_and_left_as_it_is",
        ),
    ),
    *guards_of(
        "actors/linux/tcp_peer.py",
        (
            "        return uid if inode and uid != _overflow_uid() else None\n",
            "        return uid\n",
            f"{_PEER}::test_a_socket_that_its_process_closed_has_no_owner",
        ),
    ),
    *guards_of(
        "actors/http_client/public_addresses.py",
        ('            "168.63.129.16/32",  # Azure\'s metadata and resolver\n', "", _CLOUDS),
        ('            "192.80.8.124/32",  # Equinix Metal\'s metadata\n', "", _CLOUDS),
        ('            "2002::/16",  # 6to4: leads to any IPv4 address\n', "", _SPECIAL),
        (" and not leads_to_v4", "", _SPECIAL),
        ("    return ip.is_global and not is_special and", "    return not is_special and", _SPECIAL),
        ("    return ip in _OPEN_V6 and ip.is_global", "    return ip.is_global", _SPECIAL),
        (
            "        if not is_public(host):\n",
            "        if False:\n",
            f"{_ADDRESS}::test_the_gate_judges_the_address_that_is_connected_to_whatever_the_name_said_before",
        ),
        (
            "        if self._owns(host, family):\n",
            "        if False:\n",
            f"{_ADDRESS}::test_the_gate_is_shut_for_a_public_address_of_this_machine",
        ),
        (
            "        if total > self._most_bytes:\n",
            "        if False:\n",
            f"{_PAGE}::test_an_answer_that_is_all_packing_is_given_up_by_what_was_received_and_that_is_counted",
        ),
    ),
    *guards_of(
        "actors/web/address.py",
        (
            '    if url.scheme not in ("http", "https") or not host:\n',
            "    if not host:\n",
            f"{_PAGE}::test_other_kinds_of_addresses_are_refused_by_redirect_too",
        ),
    ),
    *guards_of(
        "actors/web/permission.py",
        (
            "            elif finding.is_written:\n",
            "            elif True:\n",
            f"{_PERMISSION}::test_what_nobody_wrote_is_refused_and_no_server_hears_of_it",
        ),
        (
            "            if finding is None:\n                self._refuse(request, NO_WORD)\n            elif",
            "            if finding is None:\n                self._spend(request)\n            elif",
            f"{_PERMISSION}::test_a_window_that_says_nothing_costs_one_request_and_nothing_is_read",
        ),
        (
            "        elif wait_s := self._outflow.take(request.window.address.key, self._host.monotonic(), size):\n",
            "        elif wait_s := 0.0:\n",
            f"{_PERMISSION}::test_what_goes_out_is_bounded_for_each_window_and_counted",
        ),
        (
            "        if request.url in self._results.get(request.window, ()):\n",
            "        if any(request.url in found for found in self._found.values()):\n",
            f"{_PERMISSION}::test_a_result_of_a_search_is_read_in_the_window_that_searched",
        ),
    ),
)
