# SPDX-License-Identifier: MIT
# Run by CPack between the installation into its own folder, one for each component, and the packing:
# adds to each package the copyright file and the changelog that Debian's policy asks for, and
# compresses manual pages as it wants them. What it packs is the same whoever builds it, where and when:
# nothing of the time, or of the permissions that the builder's files have by default, gets in.

# The time of everything in the packages, unless somebody has said another: the commit's. CPack asks for
# it as well.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
                  OUTPUT_VARIABLE committed ERROR_QUIET RESULT_VARIABLE failed
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(STATUS "Times in the packages are those of the build: no git here, no SOURCE_DATE_EPOCH")
  else()
    set(ENV{SOURCE_DATE_EPOCH} ${committed})
  endif()
endif()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
string(REGEX MATCH "Copyright[^\n]*" holder "${license}")
string(REGEX REPLACE "^Copyright \\(c\\) " "" holder "${holder}")
string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" terms "${license}")
string(STRIP "${terms}" terms)
string(REGEX REPLACE "\n\n" "\n.\n" terms "${terms}")
string(REPLACE "\n" "\n " terms " ${terms}")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(documents
      ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share/doc/${package})
  # What else is linked or shipped, and under which licenses.
  set(others "")
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${component}/copyright)
    file(READ ${CMAKE_CURRENT_LIST_DIR}/${component}/copyright others)
    string(CONFIGURE "${others}" others @ONLY)
  endif()
  file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}

Files: *
Copyright: ${holder}
License: Expat
${others}
License: Expat
${terms}
")
  file(WRITE ${documents}/changelog
"${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  # -n: neither name nor time, so that two runs make the same file.
  execute_process(COMMAND gzip -9nf ${documents}/changelog COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages
       ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share/man/man*/*)
  foreach(page IN LISTS pages)
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()

# What lintian is told of a package that it takes for wrong.
function(override component tag)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(overrides
      ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share/lintian/overrides)
  file(WRITE ${overrides}/${package} "${package}: ${tag}\n")
endfunction()
if(CPACK_DEBIAN_ATOMIC_PACKAGE_NAME)
  # The atomics runtime needs the kernel and nothing else, as it says.
  override(atomic shared-library-lacks-prerequisites)
endif()
if(CPACK_DEBIAN_LIBATOMIC_PACKAGE_NAME)
  # The library that it speaks of is a link to another package's.
  override(libatomic empty-shlibs)
endif()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  execute_process(COMMAND chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()
