# SPDX-License-Identifier: MIT
"""The servers that `fencepost bench server` knows: a line each."""

from __future__ import annotations

from fencepost.servers.mariadb import MariaDB
from fencepost.servers.memcached import Memcached
from fencepost.servers.programs import Allocations, LockHeavy
from fencepost.servers.redis import Redis
from fencepost.servers.subject import LOCKS, PREFIX, Server, ServerSubject

_SERVERS: tuple[type[Server], ...] = (MariaDB, Redis, Memcached, Allocations, LockHeavy)

#: By name.
SERVERS = {server.name: server for server in _SERVERS}


def server_of(subject: str) -> type[Server] | None:
    """Return the server that a subject's name stands for, or None if it is not a server's."""
    if not subject.startswith(PREFIX):
        return None
    return SERVERS.get(subject.removeprefix(PREFIX).removesuffix(LOCKS))


def server_subject(name: str) -> ServerSubject | None:
    """The subject of this name, if it is a server's."""
    kind = server_of(name)
    if kind is None:
        return None
    return kind().locks_subject if name.endswith(LOCKS) else kind().subject
