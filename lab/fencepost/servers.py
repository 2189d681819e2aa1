# SPDX-License-Identifier: MIT
"""The servers that `fencepost bench server` knows: a line each."""

from __future__ import annotations

from fencepost.server_mariadb import MariaDB
from fencepost.server_memcached import Memcached
from fencepost.server_programs import Allocations, LockHeavy
from fencepost.server_redis import Redis
from fencepost.server_subject import LOCKS, PREFIX, Server, ServerSubject

_SERVERS: tuple[type[Server], ...] = (MariaDB, Redis, Memcached, Allocations, LockHeavy)

#: By name.
SERVERS = {server.name: server for server in _SERVERS}


def server_of(subject: str) -> type[Server] | None:
    """Of a subject's name, if it is a server's."""
    if not subject.startswith(PREFIX):
        return None
    return SERVERS.get(subject.removeprefix(PREFIX).removesuffix(LOCKS))


def server_subject(name: str) -> ServerSubject | None:
    """The subject of this name, if it is a server's."""
    kind = server_of(name)
    if kind is None:
        return None
    return kind().locks_subject if name.endswith(LOCKS) else kind().subject
