# SPDX-License-Identifier: MIT
# What an installed Fencepost consists of. Components, as distributions split them:
#   runtime      the shared C library under the name that programs ask for
#   development  headers, the static library, CMake and pkg-config files, documentation
#   atomic       the atomics runtime, whole
#   libatomic    links by which it takes the place of GCC's; asked for by name or not installed
#   barrierd     the daemon of the interrupt clock with its systemd units, where it is built
#   tools        the command line with the checker, where the checker is built, and with the locks
#                that `fencepost run` puts into programs, where they are; not the study, which is about this source tree

include(CMakePackageConfigHelpers)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fencepost)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/fencepost DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(CODE "
  file(REMOVE_RECURSE \"${CMAKE_CURRENT_BINARY_DIR}/documentation\")
  execute_process(
    COMMAND \${CMAKE_COMMAND} \"-DFROM=${CMAKE_CURRENT_SOURCE_DIR}\"
            \"-DTO=${CMAKE_CURRENT_BINARY_DIR}/documentation\"
            -P \"${CMAKE_CURRENT_SOURCE_DIR}/cmake/documentation.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT development)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/documentation/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        COMPONENT development)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.png" PATTERN "*.svg" PATTERN "*.jsonl")
install(FILES examples/first_check/CMakeLists.txt
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/first_check COMPONENT development)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

# Sets of targets, for each may be missing where it was not wanted.
install(TARGETS fencepost EXPORT fencepost-headers)
set(exports headers)
if(TARGET fencepost_c)
  install(TARGETS fencepost_c EXPORT fencepost-c
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
                  COMPONENT runtime NAMELINK_COMPONENT development)
  install(TARGETS fencepost_c_static EXPORT fencepost-c_static
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  list(APPEND exports c c_static)
endif()
foreach(export IN LISTS exports)
  install(EXPORT fencepost-${export} NAMESPACE fencepost:: FILE fencepost-${export}.cmake
          DESTINATION ${config_dir} COMPONENT development)
endforeach()

if(TARGET fencepost_atomic)
  # Out of the loader's sight: it has the name of GCC's library. Programs are linked by a script that
  # says where it is.
  install(TARGETS fencepost_atomic EXPORT fencepost-atomic
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/fencepost-atomic COMPONENT atomic NAMELINK_SKIP)
  install(TARGETS fencepost_atomic_static EXPORT fencepost-atomic_static
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT atomic)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/libfencepost_atomic.so
       "/* GNU ld script */\nINPUT ( fencepost-atomic/libatomic.so.1 )\n")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libfencepost_atomic.so
          DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT atomic)
  # Every name that GCC's library has in LIBDIR.
  set(FENCEPOST_LIBATOMIC_NAMES libatomic.so.1 libatomic.so.1.2.0)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/libatomic)
  foreach(name IN LISTS FENCEPOST_LIBATOMIC_NAMES)
    file(CREATE_LINK fencepost-atomic/libatomic.so.1 ${CMAKE_CURRENT_BINARY_DIR}/libatomic/${name}
         SYMBOLIC)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libatomic/${name}
            DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libatomic EXCLUDE_FROM_ALL)
  endforeach()
  # <stdatomic.h> in a folder of its own, for those who ask for it.
  install(DIRECTORY include/fencepost-atomic DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT atomic FILES_MATCHING PATTERN "*.h")
  install(TARGETS fencepost_stdatomic EXPORT fencepost-stdatomic)
  foreach(export IN ITEMS atomic atomic_static stdatomic)
    install(EXPORT fencepost-${export} NAMESPACE fencepost:: FILE fencepost-${export}.cmake
            DESTINATION ${config_dir} COMPONENT atomic)
  endforeach()
endif()

configure_package_config_file(cmake/fencepost-config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/fencepost-config.cmake
                              INSTALL_DESTINATION ${config_dir})
# Before 1.0 a minor version may change what callers see.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/fencepost-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fencepost-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/fencepost-config-version.cmake
              cmake/fencepost-check.cmake
        DESTINATION ${config_dir} COMPONENT development)

# The paths in the .pc files are relative to the file itself: they stay true under
# `cmake --install --prefix`, in a package and in a tree that was moved.
foreach(dir IN ITEMS INCLUDE LIB)
  string(TOLOWER ${dir} name)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}DIR}")
    set(pc_${name}dir ${CMAKE_INSTALL_${dir}DIR})
  else()
    set(pc_${name}dir "\${prefix}/${CMAKE_INSTALL_${dir}DIR}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH up /${pkgconfig_dir} /)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
set(pcs fencepost)
if(TARGET fencepost_c)
  list(APPEND pcs fencepost-c)
endif()
if(TARGET fencepost_atomic)
  list(APPEND pcs fencepost-atomic fencepost-stdatomic)
endif()
foreach(pc IN LISTS pcs)
  configure_file(cmake/${pc}.pc.in ${pc}.pc @ONLY)
  set(component development)
  if(pc MATCHES "atomic")
    set(component atomic)
  endif()
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc}.pc DESTINATION ${pkgconfig_dir}
          COMPONENT ${component})
endforeach()

# The command line finds what it needs beside itself: the same tree as here, with the checker's
# archive in the place of its sources.
if(TARGET fencepost_check)
  set(tools_dir ${CMAKE_INSTALL_LIBDIR}/fencepost)
  set(man_dir ${CMAKE_INSTALL_MANDIR}/man1)
  set(completion_dir ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  if(SKBUILD)
    # A wheel: a package of Python's, and what pip puts beside it.
    set(tools_dir .)
    set(man_dir ${SKBUILD_DATA_DIR}/share/man/man1)
    set(completion_dir ${SKBUILD_DATA_DIR}/share/bash-completion/completions)
    install(FILES cmake/wheel/start.py DESTINATION . COMPONENT tools)
  endif()
  install(PROGRAMS fencepost DESTINATION ${tools_dir} COMPONENT tools)
  # What `fencepost --version` says, of the tree that is installed.
  install(CODE "
    execute_process(COMMAND git --git-dir=${PROJECT_SOURCE_DIR}/.git
                            --work-tree=${PROJECT_SOURCE_DIR} describe --always --dirty --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(version ${PROJECT_VERSION})
    if(commit)
      string(APPEND version \" (\${commit})\")
    endif()
    file(WRITE \"${CMAKE_CURRENT_BINARY_DIR}/version.txt\" \"\${version}\\n\")"
    COMPONENT tools)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/version.txt DESTINATION ${tools_dir} COMPONENT tools)
  install(DIRECTORY lab/fencepost DESTINATION ${tools_dir}/lab COMPONENT tools
          FILES_MATCHING PATTERN "*.py" PATTERN "*.txt" PATTERN "*.css" PATTERN "*.js" PATTERN "*.lua"
          REGEX "commands/study\\.py$" EXCLUDE PATTERN "__pycache__" EXCLUDE)
  install(DIRECTORY include/fencepost DESTINATION ${tools_dir}/include COMPONENT tools
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
  install(DIRECTORY checker/compiler/
          DESTINATION ${tools_dir}/checker/compiler COMPONENT tools
          FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp")
  install(DIRECTORY checker/interface/cxx_library/headers DESTINATION ${tools_dir}/checker/interface/cxx_library
          COMPONENT tools)
  install(FILES checker/operations.def checker/redefined-symbols.txt DESTINATION ${tools_dir}/checker COMPONENT tools)
  install(TARGETS fencepost_check ARCHIVE DESTINATION ${tools_dir}/checker COMPONENT tools)
  # What runs in the compiler of the machine that builds is of no use on one of another kind.
  if(TARGET fencepost_gcc_plugin AND NOT (SKBUILD AND CMAKE_CROSSCOMPILING))
    get_property(plugin TARGET fencepost_gcc_plugin PROPERTY file)
    install(FILES ${plugin} DESTINATION ${tools_dir}/checker COMPONENT tools)
  endif()
  foreach(target IN LISTS fencepost_preload_targets ITEMS fencepost_profiler)
    if(TARGET ${target})
      install(TARGETS ${target} LIBRARY DESTINATION ${tools_dir}/preload COMPONENT tools)
    endif()
  endforeach()
  if(NOT SKBUILD)
    file(RELATIVE_PATH launcher /${CMAKE_INSTALL_BINDIR} /${tools_dir}/fencepost)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/launcher)
    file(CREATE_LINK ${launcher} ${CMAKE_CURRENT_BINARY_DIR}/launcher/fencepost SYMBOLIC)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/launcher/fencepost DESTINATION ${CMAKE_INSTALL_BINDIR}
            COMPONENT tools)
  endif()
  # The manual's pages, of the commands that are installed.
  set(own_python)
  if(SKBUILD)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(own_python FENCEPOST_PYTHON=${Python3_EXECUTABLE})
  endif()
  install(CODE "
    file(REMOVE_RECURSE \"${CMAKE_CURRENT_BINARY_DIR}/man\")
    execute_process(
      COMMAND \${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${own_python}
              \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${tools_dir}/fencepost\"
              --man-pages \"${CMAKE_CURRENT_BINARY_DIR}/man\"
      COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT tools)
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man/ DESTINATION ${man_dir} COMPONENT tools)
  install(FILES cmake/completion.bash DESTINATION ${completion_dir} RENAME fencepost COMPONENT tools)
endif()

# Units are written when the prefix is known: when it is installed.
if(TARGET fencepost_barrierd)
  install(TARGETS fencepost_barrierd RUNTIME DESTINATION ${CMAKE_INSTALL_SBINDIR} COMPONENT barrierd)
  install(FILES cmake/fencepost-barrierd.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8
          COMPONENT barrierd)
  install(FILES cmake/systemd/run-fencepost.mount DESTINATION lib/systemd/system COMPONENT barrierd)
  install(FILES cmake/systemd/fencepost-barrierd.conf DESTINATION lib/sysusers.d
          COMPONENT barrierd)
  install(CODE "set(sbindir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_SBINDIR}\")
    set(unit \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/fencepost-barrierd.service\")
    message(STATUS \"Installing: \$ENV{DESTDIR}\${unit}\")
    configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/systemd/fencepost-barrierd.service.in\"
                   \"\$ENV{DESTDIR}\${unit}\" @ONLY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${unit}\")" COMPONENT barrierd)
endif()
