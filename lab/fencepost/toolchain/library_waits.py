# SPDX-License-Identifier: MIT
"""Takes the C++ library at its word where it waits and wakes.

std::atomic::wait and its kin count their waiters in bits/atomic_wait.h, between the program's own
operation and the futex. The orders there rest on what today's processors do and not on the memory
model alone (libstdc++ 12's latch can lose a wake-up by the letter of C++20). That is the library's
affair, not the program's: unless asked to judge the library as written, the count is taken to be
fenced, so that waiting does what the standard says of it. Under x86, a model of what the compiled
code does, the runtime leaves the fences out.

Before it sleeps the library looks sixteen times. A look that changes nothing changes no outcome,
but each multiplies the executions; the header is compiled with one look instead. std::barrier and
std::latch are replaced as a whole: checker/interface/cxx_library/headers. Others tell the runtime
what the library itself does not notice: std::counting_semaphore that its count would be negative
or beyond max(); a notification of an atomic, which accesses nothing of it, that it needs the
object; mutexes what POSIX allows of them and the standard does not. std::lock asks the runtime
which mutexes it is to lock (checker/sync/locks/together.hpp), and who waits for a future waits
there (checker/sync/futures.hpp). std::shared_ptr looks whether it is the only one, to save an
atomic operation: only that operation is compiled. Loads of a std::atomic<std::shared_ptr> let go of
its lock by a release, as the standard needs and libstdc++ 12 does not. In the same way strings are
made the program's own code, which is instrumented, and not the library's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from fencepost.system import tool_process

WAITING = re.compile(r'\.file\s+(\d+)\s+.*\batomic_wait\.h"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s")
_CALL = re.compile(r"(\s*(?:call|callq|jmp|bl|b)\s+)__tsan_(atomic(?:32|64)_(?:load|fetch_add))\b")

#: The members of strings are templates that the library has compiled, and before C++20 programs
#: call those. Without this they are the program's own, which are instrumented.
_STRINGS_ELSEWHERE = (
    r"extern template class basic_string<(?:char|wchar_t)>;"
    r"|extern template\s+basic_ostream<(\w+)>&\s+"
    r"operator<<\(basic_ostream<\1>&, const w?string&\);"
)
_Changes = dict[str, list[tuple[str, str]]]

_BEYOND = 'extern void __beyond(const void*) __asm__("fencepost_semaphore_beyond_max");'
_NOTIFIED = 'extern void __notified(const void*, size_t) __asm__("fencepost_atomic_notified");'
_FUTURE = 'extern "C" void fencepost_future_wait(const void*, unsigned);'
_TRUSTED = 'extern "C" void fencepost_library_is_trusted() noexcept;'
#: The second argument: enum class LibraryLock (library_locks.cpp).
_LOCK = 'extern void __held(const void*, int) __asm__("fencepost_library_lock");'
_TRIED = [
    (
        r"(try_lock\(\) noexcept\s*\{)([^}]*__gthread_mutex_trylock\()",
        rf"\1 {_LOCK} __held(this, 0);\2",
    )
]

#: Before std::lock, and at its beginning. What is no std::mutex, nor a std::unique_lock of one that
#: does not hold it, is left to the library.
_KINDS = (
    "extern int __fencepost_together(__gthread_mutex_t* const*, int) "
    '__asm__("fencepost_lock_together"); '
    'extern void __fencepost_locked(int) __asm__("fencepost_locked_together"); '
    "inline __gthread_mutex_t* __fencepost_at(mutex& __m) { return __m.native_handle(); } "
    "inline __gthread_mutex_t* __fencepost_at(unique_lock<mutex>& __l) { return "
    "__l.mutex() && !__l.owns_lock() ? __l.mutex()->native_handle() : nullptr; } "
    "template<typename _Lock> __gthread_mutex_t* __fencepost_at(_Lock&) { return nullptr; } "
    "inline void __fencepost_own(unique_lock<mutex>& __l) { mutex* const __m = __l.release(); "
    "__l = unique_lock<mutex>(*__m, adopt_lock); } "
    "template<typename _Lock> void __fencepost_own(_Lock&) { } "
)
_TOGETHER = (
    "__gthread_mutex_t* const __all[] = "
    "{__fencepost_at(__l1), __fencepost_at(__l2), __fencepost_at(__l3)...}; "
    "constexpr int __several = 2 + sizeof...(_L3); "
    "const int __which = __fencepost_together(__all, __several); "
    "if (__which > __several) { "
    "for (int __i = 0; __i != __several; ++__i) "
    "{ __gthread_mutex_lock(__all[__i]); if (__i == 0) __fencepost_locked(0); } "
    "__fencepost_locked(1); "
    "const int __owned[] = "
    "{(__fencepost_own(__l1), 0), (__fencepost_own(__l2), 0), (__fencepost_own(__l3), 0)...}; "
    "(void)__owned; return; } "
    "if (__which != 0) { __gthread_mutex_lock(__all[__which - 1]); __fencepost_locked(2); } "
)
#: Inlined, so that what is told of it stands in the program's own line.
_INLINED = "[[gnu::always_inline]]"
_LOCK_SEVERAL = [
    (
        r"(template<typename _L1, typename _L2, typename\.\.\. _L3>)(\s+)void(\s+"
        r"lock\(_L1& __l1, _L2& __l2, _L3&\.\.\. __l3\)\s*\{)",
        rf"{_KINDS}\1\2{_INLINED} inline void\3 {_TOGETHER}",
    ),
    (r"(explicit scoped_lock\(_MutexTypes&\.\.\. __m\) :)", rf"{_INLINED} \1"),
]

#: Headers, with what is changed in them as they are not judged as written.
_CHANGES: _Changes = {
    "bits/std_mutex.h": _TRIED,
    "mutex": [*_TRIED, *_LOCK_SEVERAL],
    "shared_mutex": [
        (
            rf"({signature}\(\) \{{)( (?:return )?(?:_M_impl\.|_Base::))",
            rf"\1 {_LOCK} __held(this, {use});\2",
        )
        for signature, use in (
            ("bool try_lock", 1),
            ("void lock_shared", 1),
            ("bool try_lock_shared", 1),
            ("void unlock", 2),
            ("void unlock_shared", 3),
        )
    ],
    "bits/atomic_wait.h": [
        (r"(constexpr auto __atomic_spin_count = )\d+;", r"\g<1>1;"),
        (
            r"(template<typename _Tp>\s+void\s+"
            r"__atomic_notify_address\(const _Tp\* __addr, bool __all\) noexcept\s*\{)",
            rf"{_NOTIFIED} \1 __notified(__addr, sizeof(_Tp));",
        ),
    ],
    "bits/atomic_futex.h": [
        (r"(struct __atomic_futex_unsigned_base\s*\{)", rf"{_FUTURE} \1"),
        (
            r"(_M_load_when_equal\(unsigned __val, memory_order) __mo\)\s*\{[^}]*\}",
            r"\1) { fencepost_future_wait(&_M_data, __val); }",
        ),
    ],
    "bits/shared_ptr_atomic.h": [
        (r"(#include <bits/atomic_base\.h>)", rf"\1\n{_TRUSTED}"),
        (
            r"_M_val\.fetch_sub\(1, __o\);",
            "fencepost_library_is_trusted(); _M_val.fetch_sub("
            "1, __o == memory_order_seq_cst ? __o : memory_order_release);",
        ),
        (
            r"_M_val\.fetch_sub\(1, memory_order_relaxed\);",
            "(fencepost_library_is_trusted(), _M_val.fetch_sub(1, memory_order_release));",
        ),
    ],
    "bits/shared_ptr_base.h": [(r"\(__lock_free && __double_word && __aligned\)", "(false)")],
    "semaphore": [
        (r"_M_release\(__update\);", "_M_release(__update, max());"),
        (
            r"(: _M_sem\(__desired\)\s*)\{ \}",
            rf"\1{{ {_BEYOND} if (__desired < 0 || __desired > max()) __beyond(this); }}",
        ),
    ],
    "bits/semaphore_base.h": [
        (r"(_M_release\(\S*ptrdiff_t __update)\)", r"\1, std::ptrdiff_t __max = __INT_MAX__)"),
        (
            r"if \(0 < (__atomic_impl::fetch_add\(&_M_counter, __update, \w+\))\)",
            rf"{_BEYOND} const ptrdiff_t __found = \1;"
            " if (__update < 0 || __found > __max - __update) __beyond(this);"
            " if (0 < __found)",
        ),
    ],
}


def replaced_headers(
    compiler: list[str], flags: tuple[str, ...], directory: Path, own: Path, *, as_written: bool
) -> list[str]:
    """The flags that put other headers in the place of some of the C++ library's: copies of those
    in `own`, so that they are not taken for the program's; bits/basic_string.tcc without the
    library's instances; and what is changed by _CHANGES. `as_written`: the second only."""
    library = directory / "library"
    (library / "bits").mkdir(parents=True, exist_ok=True)
    if not as_written:
        for header in own.iterdir():
            (library / header.name).write_text(f'#line 1 "{header}"\n{header.read_text()}')
    changes = {"bits/basic_string.tcc": [(_STRINGS_ELSEWHERE, "")]}
    changes |= {} if as_written else _CHANGES
    for name, text in _changed_headers(compiler, flags, changes):
        (library / name).write_text(text)
    return ["-isystem", str(library)]


def _changed_headers(
    compiler: list[str], flags: tuple[str, ...], changes: _Changes
) -> Iterator[tuple[str, str]]:
    """The names and texts of those of the compiler's own headers that can be changed so."""
    elsewhere = ["-MF", os.devnull] if {"-MD", "-MMD"} & {*flags} else []
    command = [*compiler, "-std=c++20", *flags, *elsewhere, "-E", "-v", "-x", "c++", "/dev/null"]
    asked = tool_process.run(command, environment={**os.environ, "LC_ALL": "C"})
    places = asked.stderr.partition("#include <...> search starts here:\n")[2]
    folders = [Path(line.strip()) for line in places.partition("End of search")[0].splitlines()]
    for name, edits in changes.items():
        path = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if path is None:
            continue
        header = path.read_text(errors="replace")
        text = header
        for pattern, to in edits:
            text = re.sub(pattern, to, text)
        if text != header:
            yield name, f'#line 1 "{path}"\n{text}'


def fence_library_waits(assembly: Path) -> bool:
    """Sends the counting of waiters to the runtime's fenced operations; says if there was any."""
    lines = assembly.read_text(errors="replace").splitlines(keepends=True)
    waiting = {match.group(1) for line in lines if (match := WAITING.search(line))}
    if not waiting:
        return False
    changed = False
    inside = False
    for number, line in enumerate(lines):
        if match := _LOC.match(line):
            inside = match.group(1) in waiting
        elif inside and (match := _CALL.match(line)):
            lines[number] = _CALL.sub(r"\1fencepost_library_\2", line)
            changed = True
    if changed:
        assembly.write_text("".join(lines))
    return changed
