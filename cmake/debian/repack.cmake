# SPDX-License-Identifier: MIT
# Run by CPack when it has made the packages: packs each anew with Debian's own tool. CPack counts the
# sizes of folders in the file system at hand as installed, and gives the archive's own files the
# permissions of the builder's umask, so that no two builders get the same package.

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(tree ${CPACK_TEMPORARY_DIRECTORY}/repacked)
  file(REMOVE_RECURSE ${tree})
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${tree} COMMAND_ERROR_IS_FATAL ANY)
  # In KiB, each file by itself, and one for each folder and link.
  execute_process(COMMAND find . -path ./DEBIAN -prune -o -type f -printf "%s " -o -printf "1 "
                  WORKING_DIRECTORY ${tree} OUTPUT_VARIABLE sizes COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" sizes "${sizes}")
  set(installed 0)
  foreach(size IN LISTS sizes)
    math(EXPR installed "${installed} + (${size} + 1023) / 1024")
  endforeach()
  file(READ ${tree}/DEBIAN/control control)
  string(REGEX REPLACE "\nInstalled-Size: [0-9]+" "\nInstalled-Size: ${installed}" control "${control}")
  file(WRITE ${tree}/DEBIAN/control "${control}")
  execute_process(COMMAND dpkg-deb --root-owner-group -Zgzip -z9 --build ${tree} ${package}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
endforeach()
