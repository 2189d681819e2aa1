# SPDX-License-Identifier: MIT
# The vcpkg port of the library: the C++20 headers, the C library and the atomics runtime, as the Conan
# package has them. It builds the tree that it lies in, as an overlay port:
#   vcpkg install fencepost --overlay-ports=packaging/vcpkg
# vcpkg takes a port for the same while its own files are. So after a change of the tree, remove the
# package and install it with --no-binarycaching. The command fencepost is no part of it.

cmake_path(GET CURRENT_PORT_DIR PARENT_PATH SOURCE_PATH)
cmake_path(GET SOURCE_PATH PARENT_PATH SOURCE_PATH)

# The libraries need the C library or nothing: no path to others is to be written into them.
set(VCPKG_FIXUP_ELF_RPATH OFF)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DFENCEPOST_TOOLS=OFF
        -DFENCEPOST_EXAMPLES=OFF
        -DFENCEPOST_TESTS=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/fencepost)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
