# SPDX-License-Identifier: MIT
# `cpack` in the build directory, or `make package`, writes Debian packages, one for each component of
# cmake/install.cmake: libfencepostN, libfencepost-dev, libfencepost-atomic, libatomic1-fencepost and,
# where they are built, fencepost-tools and fencepost-barrierd.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fencepost)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "Fencepost contributors")
set(FENCEPOST_PACKAGER "Fencepost contributors <fencepost@users.noreply.github.com>" CACHE STRING
    "Who makes the Debian packages: name and address")
set(CPACK_PACKAGE_CONTACT ${FENCEPOST_PACKAGER})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENTS_ALL development)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfencepost-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The synopsis is the project's description.
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "C++20 headers, the static C library and what CMake and pkg-config need to
find them. Each primitive was checked against the C++20 memory model on the
very header that is installed here; the documentation names the proofs.")

if(TARGET fencepost_c)
  get_target_property(soversion fencepost_c SOVERSION)
  list(PREPEND CPACK_COMPONENTS_ALL runtime)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libfencepost${soversion})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
  # The loader's cache is brought up to date by dpkg's trigger. CPack would add scripts to that end
  # where none are named; those named here do not exist, and none are added.
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
      ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/triggers none/postinst none/postrm)
  set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "The shared library that programs written in C are linked to: mutexes, event
counts and bounded queues on the futex of Linux, for threads and for
processes that share memory. It needs the C library and nothing else.")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
      "${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION})")
endif()

if(TARGET fencepost_check)
  list(APPEND CPACK_COMPONENTS_ALL tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME fencepost-tools)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS
      "python3 (>= 3.11), python3-pyelftools, g++ (>= 4:12), binutils")
  # What `fencepost bench`, `compare` and `report` need besides, and what makes the plugin for another gcc of that version.
  set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "python3-numpy, python3-scipy, python3-argcomplete, gcc-12-plugin-dev")
  set(CPACK_DEBIAN_TOOLS_DESCRIPTION "The command fencepost: explores every execution of a C or C++ program that a
memory model allows, and finds the weakest memory orders that hold. For
projects of one's own; fencepost_add_check of libfencepost-dev uses it.")
  set(directory ${CPACK_PACKAGING_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/fencepost/lab)
  foreach(script IN ITEMS postinst prerm)
    configure_file(cmake/debian/tools/${script}.in tools/${script} @ONLY)
    list(APPEND CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/tools/${script})
  endforeach()
endif()

if(TARGET fencepost_barrierd)
  list(APPEND CPACK_COMPONENTS_ALL barrierd)
  set(CPACK_DEBIAN_BARRIERD_PACKAGE_NAME fencepost-barrierd)
  set(CPACK_DEBIAN_BARRIERD_PACKAGE_SECTION admin)
  set(CPACK_DEBIAN_BARRIERD_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_BARRIERD_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers")
  set(CPACK_DEBIAN_BARRIERD_PACKAGE_CONTROL_EXTRA
      ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/barrierd/postinst
      ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/barrierd/prerm)
  set(CPACK_DEBIAN_BARRIERD_DESCRIPTION "The daemon fencepost-barrierd: a BPF program that writes down when each
processor was last interrupted, in memory that every process may read. The
asymmetric fences of libfencepost-dev take it for a barrier that costs
nothing. It is not started by being installed.")
endif()

if(TARGET fencepost_atomic)
  list(APPEND CPACK_COMPONENTS_ALL atomic)
  set(CPACK_DEBIAN_ATOMIC_PACKAGE_NAME libfencepost-atomic)
  # CMake before 3.31 knows no field Multi-Arch: it comes with the one before.
  set(CPACK_DEBIAN_ATOMIC_PACKAGE_SECTION "libdevel\nMulti-Arch: same")
  set(CPACK_DEBIAN_ATOMIC_DESCRIPTION "The functions that compilers call for atomic objects of any size, shared and
static, with the names of GCC's libatomic. The shared library lies where
the loader looks only if it is told to, and replaces nothing by itself.")
endif()

# Debian's multiarch folders are where GCC's library is.
if(TARGET fencepost_atomic AND CMAKE_LIBRARY_ARCHITECTURE AND
   CMAKE_INSTALL_LIBDIR STREQUAL "lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  list(APPEND CPACK_COMPONENTS_ALL libatomic)
  set(CPACK_DEBIAN_LIBATOMIC_PACKAGE_NAME libatomic1-fencepost)
  set(CPACK_DEBIAN_LIBATOMIC_PACKAGE_SECTION "libs\nMulti-Arch: same")
  # Before: no program may find the links while they lead nowhere.
  set(CPACK_DEBIAN_LIBATOMIC_PACKAGE_PREDEPENDS
      "${CPACK_DEBIAN_ATOMIC_PACKAGE_NAME} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_LIBATOMIC_DESCRIPTION "The atomics runtime in place of GCC's libatomic, for every program of the
system: libatomic.so.1 becomes a link to the library of libfencepost-atomic.
GCC's library stays installed under another name, and gets its own back when
this package is removed.")
  set(package ${CPACK_DEBIAN_LIBATOMIC_PACKAGE_NAME})
  set(directory ${CPACK_PACKAGING_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
  list(JOIN FENCEPOST_LIBATOMIC_NAMES " " names)
  foreach(script IN ITEMS preinst postrm)
    configure_file(cmake/debian/libatomic/${script}.in libatomic/${script} @ONLY)
  endforeach()
  # shlibs: packages that are built where this one is installed may be used with GCC's library.
  set(CPACK_DEBIAN_LIBATOMIC_PACKAGE_CONTROL_EXTRA
      ${CMAKE_CURRENT_BINARY_DIR}/libatomic/preinst ${CMAKE_CURRENT_BINARY_DIR}/libatomic/postrm
      ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/libatomic/shlibs none/postinst)
endif()

# Debian wants a copyright file and a changelog in each package.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/documents.cmake)
# And the same package, whoever has built it.
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/repack.cmake)
include(CPack)
