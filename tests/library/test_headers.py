# SPDX-License-Identifier: MIT
"""Every header stands alone, without a warning, and the library runs on its other architectures."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.hpp"))
PUBLIC_HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.glob("*/*.hpp"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
#: What x86-64 and AArch64 have tests of their own for is built and run for these, too.
ARCHITECTURES = {"riscv64": "riscv64", "powerpc64le": "ppc64le"}

#: A program that compiles what could throw.
USE = """
#include <string>

struct node : fencepost::rcu_obj_base<node> {};
struct protected_node : fencepost::hazard_pointer_obj_base<protected_node> {};

template <class Map, class Key>
bool uses(Map& map, Key (*key)(int)) {
  for (int n = 0; n != 2000; ++n) map.insert_or_assign(key(n), n);
  map.modify(key(1), [](int& value) { value = 7; });
  map.erase(key(2));
  map.rehash(100'000);
  int sum = 0;
  map.for_each([&](const auto& one) { sum += one.second; });
  const bool is_right = map.find(key(1)) == 7 && !map.contains(key(2)) && map.size() == 1999;
  map.clear();
  return is_right && map.empty() && sum != 0;
}

int main() {
  fencepost::concurrent_hash_map<int, int> small;
  fencepost::concurrent_hash_map<std::string, int> allocated;
  if (!uses<decltype(small), int>(small, [](int n) { return n; })) return 1;
  if (!uses<decltype(allocated), std::string>(allocated, [](int n) { return std::to_string(n); }))
    return 2;
  fencepost::rcu_domain domain;
  (new node)->retire({}, domain);
  fencepost::rcu_barrier(domain);
  fencepost::srcu_domain sleepable;
  (new node)->retire({}, sleepable);
  fencepost::rcu_barrier(sleepable);
  const auto pointer = fencepost::make_hazard_pointer();
  (new protected_node)->retire();
  fencepost::hazard_pointer_clean_up();
  fencepost::spsc_ring<std::string> one(4);
  fencepost::mpmc_ring<std::string> many(4);
  return one.emplace("a") && many.emplace("b") && one.pop() == "a" && many.pop() == "b" ? 0 : 3;
}
"""


@pytest.mark.matrix(16)
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_needs_nothing_before_it(header: str, tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(f'#include "{header}"\n#include "{header}"\n')
    for compiler in ("g++", "clang++-14"):
        built = subprocess.run(
            [compiler, "-std=c++20", *WARNINGS, "-fsyntax-only", "-I", str(INCLUDE), str(program)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, f"{compiler}:\n{built.stderr}"


@pytest.mark.parametrize("compiler", ["g++", "clang++-14"])
def test_public_headers_need_neither_exceptions_nor_rtti(compiler: str, tmp_path: Path) -> None:
    """What throws ends the program; what is a template is used, for it is compiled only then."""
    program = tmp_path / "program.cpp"
    includes = "".join(f'#include "{header}"\n' for header in PUBLIC_HEADERS)
    program.write_text(includes + USE)
    command = [compiler, "-std=c++20", *WARNINGS, "-fno-exceptions", "-fno-rtti", "-pthread"]
    command += ["-I", str(INCLUDE), str(program), "-o", str(tmp_path / "program")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([tmp_path / "program"], timeout=60, check=False)
    assert ran.returncode == 0


@pytest.mark.parametrize("compiler", ["g++", "g++ -std=c++98", "clang++-14 -std=c++17"])
@pytest.mark.parametrize("header", PUBLIC_HEADERS)
def test_an_older_language_is_one_error_that_says_what_to_do(
    header: str, compiler: str, tmp_path: Path
) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(f'#include "{header}"\n')
    command = [*compiler.split(), "-fsyntax-only", "-I", str(INCLUDE), str(program)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode != 0
    assert "Fencepost needs C++20: compile with -std=c++20" in built.stderr
    assert built.stderr.count("error:") == 1 and built.stderr.count("\n") <= 6, built.stderr


def test_c_is_sent_to_its_own_header(tmp_path: Path) -> None:
    program = tmp_path / "program.c"
    program.write_text("#include <fencepost/mutex.hpp>\n")
    command = ["gcc", "-fsyntax-only", "-I", str(INCLUDE), str(program)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "in C include fencepost/fencepost.h" in built.stderr
    assert built.stderr.count("error:") == 1 and built.stderr.count("\n") <= 6, built.stderr


@pytest.mark.parametrize("defined", ["-DANYTHING", "-DFENCEPOST_CHECK"])
@pytest.mark.parametrize("compiler", ["gcc -std=c11", "g++ -std=c++11", "clang-14 -std=c11"])
def test_what_is_told_the_checker_is_told_in_c_and_in_any_c_plus_plus(
    compiler: str, defined: str, tmp_path: Path
) -> None:
    program = tmp_path / ("program.cpp" if "++" in compiler else "program.c")
    program.write_text(
        "#include <fencepost/instrumentation.h>\n#include <fencepost/instrumentation.h>\n"
        "int main(void) { fencepost_check_daemon(); fencepost_check_assume(false); return 0; }\n"
    )
    command = [*compiler.split(), *WARNINGS, defined, "-I", str(INCLUDE), str(program)]
    if "CHECK" in defined:  # that is linked to the checker alone
        subprocess.run([*command, "-fsyntax-only"], check=True)
        return
    subprocess.run([*command, "-o", str(tmp_path / "program")], check=True)
    subprocess.run([tmp_path / "program"], check=True)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_library_runs_on(architecture: str, tmp_path: Path) -> None:
    compiler = f"{architecture}-linux-gnu-g++"
    emulator = f"qemu-{ARCHITECTURES[architecture]}"
    missing = [name for name in (compiler, emulator) if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    program = tmp_path / "program"
    source = Path(__file__).with_name("other_architectures.cpp")
    command = [compiler, "-std=c++20", "-O2", *WARNINGS, "-static", "-pthread"]
    command += ["-I", str(INCLUDE), str(source), "-o", str(program)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run(
        [str(ROOT / "scripts" / "emulate.sh"), emulator, str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
