# SPDX-License-Identifier: MIT
"""The Conan package of the library: the C++20 headers, the C library and the atomics runtime.

`conan create packaging/conan` in this tree makes it. A project that requires it says
`find_package(fencepost)`, with the components of `cmake/fencepost-config.cmake.in`. The command
`fencepost` is no part of it: for that there is the Python wheel.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

TREE = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md")
FOLDERS = ("cmake", "docs", "examples", "include", "src")


class Fencepost(ConanFile):
    name = "fencepost"
    license = "MIT"
    description = (
        "Locks, event counts, rings, asymmetric fences, hazard pointers and RCU for C++20 and C"
    )
    topics = ("mutex", "futex", "memory-ordering", "lock-free", "rcu", "atomics")
    settings = "os", "compiler", "build_type", "arch"

    @property
    def _tree(self) -> Path:
        return Path(self.recipe_folder).parents[1]

    def set_version(self) -> None:
        text = load(self, self._tree / "CMakeLists.txt")
        self.version = re.search(r"project\(fencepost VERSION ([\d.]+)", text)[1]

    def export_sources(self) -> None:
        for pattern in (*TREE, *(f"{folder}/*" for folder in FOLDERS)):
            copy(self, pattern, self._tree, self.export_sources_folder, excludes="*__pycache__*")

    def validate(self) -> None:
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Fencepost needs Linux: its locks sleep in futexes")

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        for what in ("TOOLS", "EXAMPLES", "TESTS"):
            toolchain.cache_variables[f"FENCEPOST_{what}"] = False
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        CMake(self).install()

    def package_info(self) -> None:
        # Its own configuration names the targets, in every way of installing alike.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/fencepost"]
        self.cpp_info.libdirs = ["lib"]
