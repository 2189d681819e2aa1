# SPDX-License-Identifier: MIT
"""The servers that `fencepost bench server` knows: a line each."""

from __future__ import annotations

from fencepost.server_mariadb import MariaDB
from fencepost.server_memcached import Memcached
from fencepost.server_programs import Allocations, LockHeavy
from fencepost.server_redis import Redis
from fencepost.server_subject import PREFIX, Server

_SERVERS: tuple[type[Server], ...] = (MariaDB, Redis, Memcached, Allocations, LockHeavy)

#: By name.
SERVERS = {server.name: server for server in _SERVERS}


def server_of(subject: str) -> type[Server] | None:
    """Of a subject's name, if it is a server's."""
    return SERVERS.get(subject.removeprefix(PREFIX)) if subject.startswith(PREFIX) else None
