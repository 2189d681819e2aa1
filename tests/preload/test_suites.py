# SPDX-License-Identifier: MIT
"""Programs from Debian pass their own tests on the library's locks as they do on the C library's.
Their sources are fetched and built once, in build/suites; nothing of them is kept here."""

from __future__ import annotations

import os
import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
import samples

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release")).resolve()
SUITES = ROOT / "build" / "suites"
#: Tried with each program, and of the others as many as are drawn.
DEFAULT = "mutex"
DRAWN = 2


@dataclass(frozen=True)
class Program:
    """One with tests of its own, by the name of Debian's source package."""

    source: str
    #: Commands of a shell, in the source's folder.
    build: str
    test: str
    #: What its tests say when they have passed, so that none is taken for that which did nothing.
    says: str


#: Runs those of libuv's tests that are about locks, threads and what uses them; of the rest some
#: ask for a network, for a machine that has nothing else to do (a watched file that changes while
#: a process forks, on glibc's locks as well), or for a certain file system.
LIBUV = """
export UV_RUN_AS_ROOT=1
names='async|barrier|condvar|fork|fs_[^cep]|loop|mutex|once|pipe|queue|rwlock|semaphore|signal|spawn'
for name in $(made/uv_run_tests --list | awk '{print $1}' | grep -E "^($names|thread|tls|work)" |
  grep -v fs_events); do
  made/uv_run_tests $name || true
done 2>&1 | tee log
! grep '^not ok' log
"""
#: Runs the tests of Perl's threads with the perl and the modules that Debian ships, which some look
#: for in a folder blib; four tests at a time.
PERL = """
for name in Thread-Queue Thread-Semaphore threads threads-shared; do
  (cd dist/$name && prove -j4 t)
done
"""
#: Of memcached's tests those in which threads meet: workers, the keepers of the LRU lists and of
#: the slabs, those that write to files, those that watch. One asks that what was written be still
#: there after a while: on a busy machine one run of some eighty fails, on glibc's locks as well.
MEMCACHED = """
./testapp
names='chunked|conn-limits|dyn-maxbytes|evictions|extstore|getset|idle|lru|maxconns|restart|slabs'
prove -j4 $(ls t/*.t | grep -v chunked-extstore |
  grep -E "^t/[a-z]*-?($names|shutdown|stats|touch|udp|watcher)")
"""
#: Redis's threads: those that read and write for clients, and those that free, sync and close.
REDIS = """
./runtest --clients 2 --config io-threads 4 --config io-threads-do-reads yes \\
  --single unit/lazyfree --single unit/networking --single unit/aofrw \\
  --single unit/obuf-limits --single unit/other
"""
#: Of SQLite's tests those in which threads share connections, caches, a log and a sorter; then, ten
#: seconds each, some in C whose threads keep several connections busy.
SQLITE = """
for name in thread00{1,2,4,5} thread{1,2} mutex{1,2} notify2 shared4 sort2; do
  ./testfixture test/$name.test
done
./threadtest3 stress1 shared1 lookaside1 walthread5
"""
#: Of GnuTLS's tests those that have threads, that fork, or that ask what is made once.
GNUTLS_TESTS = (
    "tls-pthread dtls-pthread rng-pthread atfork global-init global-init-override rng-fork"
    " mini-dtls-fork"
)
#: What is newer than the release's own Makefiles is Debian's patch.
GNUTLS_BUILD = f"""
rm $(grep -rl gettext-0.20 m4)
GTKDOCIZE=true autoreconf -fi
./configure --disable-{{cxx,doc,gcc-warnings,guile,libdane,nls,static,tools}} --without-p11-kit
for folder in gl lib; do make -j$(nproc) -C $folder; done
make -j$(nproc) -C tests {GNUTLS_TESTS}
"""
GNUTLS = f"""
cd tests
for name in {GNUTLS_TESTS}; do
  srcdir=. ./$name
  echo "passed: $name"
done
"""
PROGRAMS = [
    # Threads, all kinds of locks, a pool of workers: each test in a process of its own.
    Program(
        "libuv1",
        "cmake -S . -B made -G Ninja -DCMAKE_BUILD_TYPE=Release && ninja -C made uv_run_tests",
        LIBUV,
        r"(?m)^ok 1 - threadpool",
    ),
    # Compression by several threads.
    Program(
        "libzstd",
        "make -j$(nproc) -C tests poolTests zstreamtest",
        "cd tests && ./poolTests && ./zstreamtest --newapi -T20s -t1",
        r"(?s)PASS: all POOL tests.*tests completed",
    ),
    Program(
        "xz-utils",
        "./configure --disable-doc && make -j$(nproc) && make -j$(nproc) check TESTS=",
        "XZ_OPT=-T4 make check",
        r"# PASS: +[1-9]",
    ),
    # A library with many mutexes, recursive ones among them; Tcl, which starts its threads.
    Program(
        "sqlite3",
        "./configure --enable-all && make -j$(nproc) testfixture threadtest3",
        SQLITE,
        r"(?s)(0 errors out of [1-9][^\n]*\n.*){11}0 errors out of 4 tests",
    ),
    # A server whose threads read, write and free.
    Program(
        "redis",
        "make -j$(nproc) MALLOC=libc BUILD_TLS=no",
        REDIS,
        r"done.*unit/lazyfree(?s:.*)All tests passed without errors!",
    ),
    # A server whose workers share one table, under many locks.
    Program(
        "memcached",
        "./configure && make -j$(nproc) memcached memcached-debug testapp timedrun",
        MEMCACHED,
        r"ok 56 - stop_server(?s:.*)All tests successful",
    ),
    # Interpreters in threads that share variables, locks and conditions.
    Program(
        "perl",
        "for name in threads threads-shared Thread-Queue Thread-Semaphore; do"
        " mkdir -p dist/$name/blib/{lib,arch}; cp t/test.pl dist/$name/t; done",
        PERL,
        r"(?s)(Tests=[1-9].*Result: PASS.*){4}",
    ),
    # Its own locks are mutexes; its tests have threads allocate, fork and end.
    Program(
        "jemalloc",
        "./configure && make -j$(nproc) tests_unit tests_integration",
        "make check_unit check_integration",
        r"(?s)(suite summary: pass: [1-9].*fail: 0/[1-9].*){2}",
    ),
    # Once, read-write locks and mutexes, all of them referred to weakly.
    Program(
        "gnutls28",
        GNUTLS_BUILD,
        GNUTLS,
        r"(?s)passed: tls-pthread.*passed: mini-dtls-fork.*tls1.3 early start, threaded server",
    ),
    # Mutexes, recursive and timed, conditions, read-write locks; and those that processes share.
    Program(
        "apr",
        "./configure && make -j$(nproc) && make -j$(nproc) -C test testall",
        "cd test && ./testall"
        " testatomic testcond testlock testpoll testpools testprocmutex testshm testthread",
        r"(?s)testlock +:.*SUCCESS.*testthread +:.*SUCCESS.*All tests passed",
    ),
    # Names asked for of servers that the tests are; those of the network are left out.
    Program(
        "c-ares",
        "cmake -S . -B made -G Ninja -DCARES_BUILD_TESTS=ON && ninja -C made arestest",
        "made/bin/arestest --gtest_filter='-*Live*'",
        r"(?s)[0-9]{3} tests from .* ran.*PASSED  . [0-9]{3} tests",
    ),
]


def sh(command: str, folder: Path, *before: str) -> str:
    """What a command of the shell says, which must end well; another may start it."""
    done = subprocess.run(
        [*before, "bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=1800,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(before)}: {command}\n{said[-6000:]}"
    return said


def locks(program: Program) -> list[str]:
    """The C library's, the one that is used where nobody chooses, and some others."""
    prefix = "libfencepost_preload_"
    built = {path.stem.removeprefix(prefix) for path in BUILD.glob(f"preload/{prefix}*.so")}
    others = sorted(built - {DEFAULT})
    draw = random.Random(f"{samples.seed()} {program.source}")
    return ["glibc", DEFAULT, *draw.sample(others, DRAWN)]


@pytest.mark.slow
@pytest.mark.crowd
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.source)
def test_a_program_passes_its_own_tests_on_every_lock(program: Program) -> None:
    folder = SUITES / program.source
    built = SUITES / f"{program.source}.built"
    if not built.exists():
        sh(f"{ROOT}/scripts/fetch_source.sh {program.source} {SUITES}", ROOT)
        sh(program.build, folder)
        built.touch()
    for lock in locks(program):
        said = sh(program.test, folder, str(ROOT / "fencepost"), "run", "--lock", lock, "--")
        assert re.search(program.says, said), f"{lock}: {said[-3000:]}"
