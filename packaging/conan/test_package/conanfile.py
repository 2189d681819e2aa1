# SPDX-License-Identifier: MIT
"""Builds the programs of tests/packaging/consumer against the package, and runs them."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class Consumer(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "VirtualRunEnv"

    def requirements(self) -> None:
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        self.conf.define("tools.cmake.cmake_layout:test_folder", "$TMP")
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # nothing of it is left here
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure(build_script_folder="../../../tests/packaging/consumer")
        cmake.build()

    def test(self) -> None:
        if can_run(self):
            for program in ("consumer", "consumer_c", "consumer_c_static"):
                self.run(str(Path(self.build_folder) / program), env="conanrun")
