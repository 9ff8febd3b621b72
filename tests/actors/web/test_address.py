from __future__ import annotations

import socket

import pytest

from actors.http_client.public_addresses import ForbiddenAddressError, PublicAddresses, is_own, is_public


def test_addresses_of_the_internet_are_public(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["93.184.216.34", "8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "2001:4860:4860::8888"]
    for address in cases:
        with subtests.test(address=address):
            assert is_public(address)


def test_addresses_of_this_machine_its_networks_and_special_uses_are_not(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        *("0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254", "172.31.0.1"),
        *("192.0.0.8", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.251"),
        *("239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12::1", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:7f00:1::1", "2002:c0a8:101::1"),
        "2001:0:4136:e378:8000:63bf:f5ff:fffe",  # Teredo of 10.0.0.1
        "2001:0:4136:e378:8000:63bf:f7f7:f7f7",  # Teredo of 8.8.8.8
        *("2002:a9fe:a9fe::1", "2002:808:808::1"),  # 6to4 of 169.254.169.254, of 8.8.8.8
        *("2606:4700::5efe:a00:1", "2606:4700::200:5efe:a9fe:a9fe", "2606:4700::5efe:808:808"),  # ISATAP
        *("64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "::ffff:0:808:808", "::808:808"),
        *("2001:2::1", "2001:20::1", "3fff::1", "3fff:fff::1", "3ffe::1", "5f00::1", "100::1", "4000::1"),
    ]
    for address in cases:
        with subtests.test(address=address):
            assert not is_public(address)


def test_what_clouds_tell_their_machines_is_not_public(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        *("168.63.129.16", "169.254.169.254", "169.254.170.2", "169.254.169.123", "169.254.42.42", "100.100.100.200"),
        *("192.0.0.192", "192.80.8.124", "161.26.0.7", "166.8.1.1", "166.11.255.255", "192.88.99.1"),
        *("fd00:ec2::254", "fd20:ce::254", "fd00:42::42", "fe80::a9fe:a9fe"),
        *("::ffff:168.63.129.16", "64:ff9b::168.63.129.16", "2002:a83f:8110::"),
    ]
    for address in cases:
        with subtests.test(address=address):
            assert not is_public(address)


def test_an_ipv4_address_in_the_clothes_of_ipv6_is_judged_as_what_it_is() -> None:
    assert not is_public("::ffff:192.168.0.1")
    assert is_public("64:ff9b::8.8.8.8")


def test_the_gate_judges_the_address_that_is_connected_to_whatever_the_name_said_before() -> None:
    infos = socket.getaddrinfo("localhost", 80, family=socket.AF_INET, type=socket.SOCK_STREAM)

    with pytest.raises(ForbiddenAddressError, match=r"127\.0\.0\.1 is not a public address"):
        PublicAddresses()(infos[0])  # type: ignore[arg-type]


def test_the_gate_opens_for_public_addresses_and_for_exactly_the_places_it_was_given() -> None:
    gate = PublicAddresses(frozenset({("127.0.0.1", 8080)}))

    for place in (("127.0.0.1", 8080), ("8.8.8.8", 443)):
        gate((socket.AF_INET, socket.SOCK_STREAM, 0, "", place)).close()
    for place in (("127.0.0.1", 8081), ("127.0.0.2", 8080)):
        with pytest.raises(ForbiddenAddressError):
            gate((socket.AF_INET, socket.SOCK_STREAM, 0, "", place))


def test_the_gate_is_shut_for_a_public_address_of_this_machine() -> None:
    """A service that listens on the machine's public address trusts neighbours, as those on loopback do."""
    gate = PublicAddresses(owns=lambda host, _family: host == "8.8.4.4")

    gate((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 443))).close()
    with pytest.raises(ForbiddenAddressError, match=r"8\.8\.4\.4 is an address of this machine"):
        gate((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.4.4", 443)))


def test_this_machine_knows_its_own_addresses() -> None:
    assert is_own("127.0.0.1", socket.AF_INET)
    assert not is_own("8.8.8.8", socket.AF_INET)
