# SPDX-License-Identifier: MIT
# Run by CPack between the installation into its own folder, one for each component, and the packing:
# adds to each package the copyright file and the changelog that Debian's policy asks for, and
# compresses manual pages as it wants them.

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
  file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}

Files: *
Copyright: ${holder}
License: Expat

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
  file(CHMOD ${documents}/copyright ${documents}/changelog.gz
       PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
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
  file(CHMOD ${overrides}/${package} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()
if(CPACK_DEBIAN_ATOMIC_PACKAGE_NAME)
  # The atomics runtime needs the kernel and nothing else, as it says.
  override(atomic shared-library-lacks-prerequisites)
endif()
if(CPACK_DEBIAN_LIBATOMIC_PACKAGE_NAME)
  # The library that it speaks of is a link to another package's.
  override(libatomic empty-shlibs)
endif()
