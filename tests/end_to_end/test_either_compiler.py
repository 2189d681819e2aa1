# SPDX-License-Identifier: MIT
"""What one compiler refuses the other is given, unless one of them was chosen."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOLDS, VIOLATED, INCONCLUSIVE = 0, 1, 2

#: gcc may leave out the store in `worker`, and says so; clang does not know the attribute.
RACE = """\
#include <pthread.h>
static int x;
__attribute__((optimize("tree-dse"))) static void* worker(void* p) { x = 1; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  RACES
  pthread_join(t, NULL);
}
"""
#: gcc does not tell the scope of what it uses; and clang has no such functions.
WITHIN = """\
int run(int (*f)(void)) { return f(); }
int main(void) {
  int zero = 0;
  int within(void) { return zero; }
  return run(within);
}
"""


def check(source: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"PATH": path} if path else {})
    command = [str(ROOT / "fencepost"), "check", str(source), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.fixture
def race(tmp_path: Path) -> Path:
    source = tmp_path / "race.c"
    source.write_text(RACE)
    return source


def without(names: str, directory: Path) -> str:
    """A PATH with all programs of Debian but those."""
    directory.mkdir()
    for program in Path("/usr/bin").iterdir():
        if not re.fullmatch(names, program.name):
            (directory / program.name).symlink_to(program)
    return str(directory)


def test_clang_compiles_what_gcc_is_refused(race: Path) -> None:
    found = check(race, "--", "-DRACES=x = 2;")
    assert found.returncode == VIOLATED
    assert "data-race" in found.stdout
    said = f"compiled by clang, for with gcc it is refused: {race}:3: "
    assert re.sub("clang-14", "clang", found.stderr).count(said) == 1


def test_the_certificate_says_so(race: Path) -> None:
    found = check(race, "--json", "--model", "sc,x86", "--", "-DRACES=")
    assert found.returncode == HOLDS
    for line in found.stdout.splitlines():
        (said,) = [text for text in json.loads(line)["assumptions"] if "compiled by" in text]
        assert f"{race}:3: an attribute" in said


def test_who_chooses_gcc_gets_its_refusal(race: Path) -> None:
    found = check(race, "--cc", "gcc", "--", "-DRACES=x = 2;")
    assert found.returncode == INCONCLUSIVE
    assert f"{race}:3: an attribute" in found.stdout
    assert "clang" not in found.stdout + found.stderr


def test_both_reasons_are_given_where_both_refuse(tmp_path: Path) -> None:
    source = tmp_path / "within.c"
    source.write_text(WITHIN)
    found = check(source)
    assert found.returncode == INCONCLUSIVE
    assert "use its local variables, whose scopes gcc does not announce" in found.stdout
    assert re.search(r"with clang(-14)? it does not compile", found.stdout)


def test_what_neither_models_is_said_once(tmp_path: Path) -> None:
    source = tmp_path / "forks.c"
    source.write_text("#include <unistd.h>\nint main(void) { return fork(); }\n")
    found = check(source)
    assert found.returncode == INCONCLUSIVE
    assert found.stdout.count("starts or controls a process") == 1
    assert "clang" not in found.stdout + found.stderr


def test_without_clang_the_refusal_stands(race: Path, tmp_path: Path) -> None:
    found = check(race, "--", "-DRACES=x = 2;", path=without("clang.*", tmp_path / "bin"))
    assert found.returncode == INCONCLUSIVE
    assert f"{race}:3: an attribute" in found.stdout


def test_without_gcc_clang_compiles_all(race: Path, tmp_path: Path) -> None:
    path = without(r"([\w-]*-)?(gcc|g\+\+)(-\d+)?", tmp_path / "bin")
    assert shutil.which("gcc", path=path) is None
    found = check(race, "--json", "--", "-DRACES=x = 2;", path=path)
    assert json.loads(found.stdout)["violation"]["kind"] == "data-race"
    none = check(race, "--cc", "gcc", path=path)
    assert none.returncode == 3
    assert "there is no compiler 'gcc' here" in none.stderr


def test_weaken_looks_at_what_clang_compiles(tmp_path: Path) -> None:
    source = tmp_path / "message.c"
    source.write_text(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
        "static atomic_int ready;\nstatic int message;\n"
        '__attribute__((optimize("tree-dse"))) static void* sender(void* p) {\n'
        "  message = 1;\n"
        "  atomic_store_explicit(&ready, 1, memory_order_seq_cst);\n"
        "  return p;\n}\n"
        "int main(void) {\n  pthread_t t;\n  pthread_create(&t, NULL, sender, NULL);\n"
        "  if (atomic_load_explicit(&ready, memory_order_seq_cst)) assert(message == 1);\n"
        "  pthread_join(t, NULL);\n}\n"
    )
    command = [str(ROOT / "fencepost"), "weaken", str(source)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == HOLDS, found.stdout + found.stderr
    assert re.search(r"seq_cst.*release", found.stdout) and re.search(
        r"seq_cst.*acquire", found.stdout
    )
