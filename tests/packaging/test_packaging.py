# SPDX-License-Identifier: MIT
"""What users get: the library is installed, and programs of theirs are built against it in each of
the ways that the documentation names, and run. Nothing here looks into the build of this tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from made_once import made_once

ROOT = Path(__file__).resolve().parents[2]
CONSUMER = ROOT / "tests" / "packaging" / "consumer"
CONSUMER_IN_C = ROOT / "tests" / "packaging" / "consumer_in_c"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
SUM = "sum 500500"

pytestmark = pytest.mark.skipif(
    shutil.which("dpkg-deb") is None or shutil.which("pkg-config") is None,
    reason="needs pkg-config and Debian's dpkg-deb",
)


def sh(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def configure(source: Path, build: Path, *options: str) -> None:
    sh("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options)


def build_and_run(source: Path, build: Path, *options: str, library_path: str = "") -> None:
    configure(source, build, *options)
    sh("cmake", "--build", build)
    for program in ("consumer", "consumer_c", "consumer_c_static"):
        if source == CONSUMER_IN_C and program == "consumer":
            continue
        assert SUM in sh(build / program, LD_LIBRARY_PATH=library_path)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library built as a distribution would."""

    def make(folder: Path) -> None:
        off = (f"-DFENCEPOST_{what}=OFF" for what in ("EXAMPLES", "TESTS", "TOOLS"))
        configure(ROOT, folder, "-DCMAKE_INSTALL_PREFIX=/usr", *off)
        sh("cmake", "--build", folder)
        sh("cpack", cwd=folder)

    return made_once(tmp_path_factory, "package", make)


@pytest.fixture(scope="session")
def prefix(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installed somewhere else than where it was configured for, and then moved."""
    first = tmp_path_factory.mktemp("first") / "prefix"
    sh("cmake", "--install", build, "--prefix", first)
    second = tmp_path_factory.mktemp("moved") / "prefix with a space"
    first.rename(second)
    return second


@pytest.fixture(scope="session")
def packages(build: Path) -> list[Path]:
    return sorted((build / "packages").glob("*.deb"))


def library_directory(prefix: Path) -> Path:
    (found,) = prefix.rglob("libfencepost.so")
    return found.parent


def pkg_config(directory: Path, *arguments: str) -> list[str]:
    found = sh(
        "pkg-config",
        *arguments,
        PKG_CONFIG_LIBDIR=str(directory / "pkgconfig"),
    )
    # Spaces in paths are escaped as a shell wants them.
    return sh("sh", "-c", f"printf '%s\\n' {found.strip()}").splitlines()


def test_what_is_installed_is_what_the_tree_has(prefix: Path) -> None:
    include = prefix / "include" / "fencepost"
    shipped = {p.relative_to(include) for p in include.rglob("*") if p.is_file()}
    source = ROOT / "include" / "fencepost"
    assert shipped == {p.relative_to(source) for p in source.rglob("*.h*")}
    for name in shipped:
        assert (include / name).read_bytes() == (source / name).read_bytes()


def test_only_the_library_is_installed(prefix: Path) -> None:
    assert {p.name for p in prefix.iterdir()} == {"include", "lib", "share"}
    names = {p.name for p in library_directory(prefix).iterdir()}
    assert names == {
        "cmake",
        "fencepost-atomic",
        "libfencepost.a",
        "libfencepost.so",
        "libfencepost.so.0",
        "libfencepost.so.0.1.0",
        "libfencepost_atomic.a",
        "libfencepost_atomic.so",
        "pkgconfig",
    }
    # Where the loader does not look by itself: it has the name of GCC's library.
    names = {p.name for p in (library_directory(prefix) / "fencepost-atomic").iterdir()}
    assert names == {"libatomic.so.1", "libatomic.so.1.2.0"}
    assert {p.name for p in (prefix / "share").iterdir()} == {"doc"}


def test_no_installed_file_knows_where_it_was_built(prefix: Path, build: Path) -> None:
    for path in prefix.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes()
            assert str(ROOT).encode() not in text, path
            assert str(build).encode() not in text, path


def test_links_of_the_installed_pages_lead_somewhere(prefix: Path) -> None:
    pages = sorted((prefix / "share" / "doc").rglob("*.md"))
    assert len(pages) > 40
    dead = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)", without_code(page.read_text()))
        if not (page.parent / target).exists()
    ]
    assert dead == []


def test_installed_texts_name_the_command_as_it_is_installed(prefix: Path) -> None:
    doc = prefix / "share" / "doc"
    texts = [path for path in doc.rglob("*") if path.suffix in (".md", ".c", ".cpp", ".hpp")]
    assert {path.suffix for path in texts} == {".md", ".c", ".cpp", ".hpp"}
    wrong = re.compile(r"(?<![./\w-])\./fencepost\b")
    assert [path.name for path in texts if wrong.search(path.read_text())] == []
    (readme,) = doc.rglob("README.md")
    assert "\n$ fencepost check examples/checker/missed_signal.c\n" in readme.read_text()
    assert "`../../fencepost`" in next(doc.rglob("first_check.md")).read_text()


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def test_the_installed_headers_need_no_other(prefix: Path, tmp_path: Path) -> None:
    include = prefix / "include"
    program = tmp_path / "all.cpp"
    library = include / "fencepost"
    headers = sorted(path.relative_to(include) for path in library.rglob("*.h*"))
    program.write_text("".join(f"#include <{header}>\n" for header in headers))
    sh("g++", "-std=c++20", *STRICT, "-fsyntax-only", "-I", include, program)


def test_a_project_finds_it_with_find_package(prefix: Path, tmp_path: Path) -> None:
    build_and_run(CONSUMER, tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")


def test_a_project_without_a_cxx_compiler_finds_it(prefix: Path, tmp_path: Path) -> None:
    build_and_run(CONSUMER_IN_C, tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_COMPILER=")
    for program in ("consumer_c", "consumer_c_static"):
        needed = re.findall(r"NEEDED.*\[(.*)\]", sh("readelf", "-d", tmp_path / program))
        assert not [name for name in needed if "stdc++" in name or "gcc_s" in name]


@pytest.mark.parametrize("wanted, found", [("0.1", True), ("0.1.0", True), ("0.0", False)])
def test_a_version_that_does_not_fit_is_refused(
    prefix: Path, tmp_path: Path, wanted: str, found: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        f"find_package(fencepost {wanted})\n"
        'message(STATUS "found ${fencepost_FOUND} ${fencepost_VERSION}")\n'
    )
    said = sh(*("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"))
    assert ("found 1 0.1.0" in said) == found


def test_a_component_that_is_not_there_is_said(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\n"
        "find_package(fencepost COMPONENTS headers telepathy)\n"
        'message(STATUS "found ${fencepost_FOUND}")\n'
    )
    said = sh(*("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"))
    assert "found 1" not in said and "found TRUE" not in said


def test_a_cxx_program_is_built_by_pkg_config(prefix: Path, tmp_path: Path) -> None:
    flags = pkg_config(library_directory(prefix), "--cflags", "--libs", "fencepost")
    program = tmp_path / "program"
    sh("g++", "-std=c++20", *STRICT, CONSUMER / "main.cpp", "-o", program, *flags)
    assert SUM in sh(program)


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
@pytest.mark.parametrize("linked", ["shared", "static"])
def test_a_c_program_is_built_by_pkg_config(
    prefix: Path, tmp_path: Path, compiler: str, linked: str
) -> None:
    directory = library_directory(prefix)
    flags = pkg_config(directory, "--cflags", "--libs", "fencepost-c")
    if linked == "static":
        flags = [str(directory / "libfencepost.a") if f == "-lfencepost" else f for f in flags]
    program = tmp_path / "program"
    sh(
        *(compiler, "-std=c11", *STRICT, "-Wstrict-prototypes", "-pthread", CONSUMER / "main.c"),
        *("-o", program, *flags),
    )
    assert SUM in sh(program, LD_LIBRARY_PATH=str(directory))
    needed = re.findall(r"NEEDED.*\[(.*)\]", sh("readelf", "-d", program))
    assert ("libfencepost.so.0" in needed) == (linked == "shared")


SWAPS_24_BYTES = """\
#include <stdatomic.h>
struct three { long a, b, c; };
static _Atomic struct three object;
int main(void) {
  struct three one = {1, 2, 3};
  atomic_store(&object, one);
  return !(atomic_exchange(&object, one).c == 3);
}
"""


@pytest.mark.parametrize("how", ["pkg-config", "pkg-config, static", "CMake", "CMake, static"])
def test_a_program_gets_its_atomics_from_the_runtime(
    prefix: Path, tmp_path: Path, how: str
) -> None:
    source = tmp_path / "swap.c"
    source.write_text(SWAPS_24_BYTES)
    directory = library_directory(prefix)
    program = tmp_path / "build" / "swap"
    program.parent.mkdir()
    if "pkg-config" in how:
        static = ["static"] if "static" in how else []
        flags = [f"-{word}" for word in static]
        flags += pkg_config(
            directory, *(f"--{word}" for word in [*static, "libs"]), "fencepost-atomic"
        )
        sh("gcc", "-std=c11", *STRICT, source, "-o", program, *flags)
    else:
        component = "atomic_static" if "static" in how else "atomic"
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
            f"find_package(fencepost REQUIRED COMPONENTS {component})\n"
            "add_executable(swap swap.c)\n"
            f"target_link_libraries(swap PRIVATE fencepost::{component})\n"
        )
        configure(tmp_path, program.parent, f"-DCMAKE_PREFIX_PATH={prefix}")
        sh("cmake", "--build", program.parent)
    sh(program)
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    found = [Path(path) for path in re.findall(r"libatomic.so.1 => (.*) \(", listed)]
    shared = directory / "fencepost-atomic" / "libatomic.so.1"
    assert [path.resolve() for path in found] == ([] if "static" in how else [shared.resolve()])


@pytest.mark.parametrize("how", ["pkg-config", "its folder", "CMake"])
def test_stdatomic_is_found_by_those_who_ask_for_it(prefix: Path, tmp_path: Path, how: str) -> None:
    source = tmp_path / "swap.c"
    source.write_text(
        SWAPS_24_BYTES.replace("_Atomic struct three", "_Atomic(struct three)")
        + "#if !defined(FENCEPOST_ATOMIC_SUPPORT)\n#error another header\n#endif\n"
    )
    directory = library_directory(prefix)
    program = tmp_path / "build" / "swap"
    program.parent.mkdir()
    if how == "CMake":
        (tmp_path / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
            "find_package(fencepost REQUIRED COMPONENTS atomic stdatomic)\n"
            "add_executable(swap swap.c)\n"
            "target_link_libraries(swap PRIVATE fencepost::stdatomic fencepost::atomic)\n"
        )
        configure(tmp_path, program.parent, f"-DCMAKE_PREFIX_PATH={prefix}")
        sh("cmake", "--build", program.parent)
    else:
        runtime = pkg_config(directory, "--cflags", "--libs", "fencepost-atomic")
        command = ["gcc", "-std=c99", *STRICT, str(source), "-o", str(program)]
        unasked = subprocess.run([*command, *runtime], capture_output=True, text=True)
        assert "another header" in unasked.stderr
        if how == "pkg-config":
            sh(*command, *pkg_config(directory, "--cflags", "--libs", "fencepost-stdatomic"))
        else:
            libraries = {"PKG_CONFIG_LIBDIR": str(directory / "pkgconfig")}
            asked = ("pkg-config", "--variable=stdatomicdir", "fencepost-atomic")
            folder = sh(*asked, **libraries).strip().replace("\\ ", " ")
            sh(*command, "-isystem", folder, *runtime)
    sh(program)


def test_pkg_config_tells_the_version(prefix: Path) -> None:
    directory = library_directory(prefix)
    for name in ("fencepost", "fencepost-c", "fencepost-atomic", "fencepost-stdatomic"):
        assert pkg_config(directory, "--modversion", name) == ["0.1.0"]


def test_a_project_takes_the_source_tree_by_fetch_content(tmp_path: Path) -> None:
    build_and_run(CONSUMER, tmp_path, f"-DFENCEPOST_FROM={ROOT}")
    # Nothing but the library comes along: no test, no tool, no rule of installation, no flag.
    targets = sh("cmake", "--build", tmp_path, "--target", "help")
    assert "library_tests" not in targets and "fencepost_check" not in targets
    assert "Total Tests: 0" in sh("ctest", "--test-dir", tmp_path, "--show-only")
    elsewhere = tmp_path / "elsewhere"
    sh("cmake", "--install", tmp_path, "--prefix", elsewhere)
    assert not elsewhere.exists()
    commands = sh("ninja", "-C", tmp_path, "-t", "commands", "consumer")
    assert "-fno-exceptions" not in commands
    # The same with C++ alone compiles nothing of the C library.
    assert "capi" not in commands


def test_the_packages_are_debians(packages: list[Path]) -> None:
    architecture = sh("dpkg", "--print-architecture").strip()
    assert [p.name for p in packages] == [
        f"libatomic1-fencepost_0.1.0_{architecture}.deb",
        f"libfencepost-atomic_0.1.0_{architecture}.deb",
        f"libfencepost-dev_0.1.0_{architecture}.deb",
        f"libfencepost0_0.1.0_{architecture}.deb",
    ]
    fields = [sh("dpkg-deb", "--field", package) for package in packages]
    replacement, atomic, development, runtime = fields
    assert "Depends:" not in atomic and "Multi-Arch: same" in atomic
    assert "Pre-Depends: libfencepost-atomic (= 0.1.0)" in replacement
    assert "Depends: libfencepost0 (= 0.1.0)" in development and "Section: libdevel" in development
    assert re.search(r"^Depends: libc6 \(>= [0-9.]+\)$", runtime, re.MULTILINE)
    assert "Section: libs" in runtime
    for package, field in zip(packages, fields, strict=True):
        assert re.search(r"^Maintainer: .+ <.+@.+>$", field, re.MULTILINE)
        assert re.search(r"^Description: .{10,79}\n .+", field, re.MULTILINE)
        assert "Priority: optional" in field
        listed = sh("dpkg-deb", "--contents", package)
        name = package.name.partition("_")[0]
        for document in ("copyright", "changelog.gz"):
            assert f"./usr/share/doc/{name}/{document}" in listed
        # Owned by root, written by nobody else.
        for line in listed.splitlines():
            assert re.match(r"[-dl](rwxr-xr-x|rw-r--r--|rwxrwxrwx) root/root ", line), line
    # For the packages of others that are linked to the library.
    shlibs = sh("dpkg-deb", "--info", packages[3], "shlibs")
    assert shlibs.strip() == "libfencepost 0 libfencepost0 (>= 0.1.0)"
    assert "ldconfig" in sh("dpkg-deb", "--info", packages[3], "triggers")


def test_the_packages_unpacked_serve_a_project(packages: list[Path], tmp_path: Path) -> None:
    root = tmp_path / "root"
    for package in packages:
        sh("dpkg-deb", "--extract", package, root)
    usr = root / "usr"
    build_and_run(
        CONSUMER,
        tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={usr}",
        library_path=str(library_directory(usr)),
    )
    flags = pkg_config(library_directory(usr), "--cflags", "--libs", "fencepost-c")
    program = tmp_path / "program"
    sh("gcc", "-std=c11", "-pthread", CONSUMER / "main.c", "-o", program, *flags)
    assert SUM in sh(program, LD_LIBRARY_PATH=str(library_directory(usr)))


@pytest.mark.skipif(shutil.which("lintian") is None, reason="lintian is not installed")
def test_lintian_finds_no_error(packages: list[Path]) -> None:
    sh("lintian", "--allow-root", "--fail-on", "error,warning", *packages)
