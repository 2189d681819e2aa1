# SPDX-License-Identifier: MIT
# cmake -DFROM=SOURCE -DTO=FOLDER -P documentation.cmake: the pages as they are installed, in one
# folder with the README and the examples. Links lead there, or, to what is in the source tree alone, are none. The
# command is `fencepost`, as it is installed, and not the source tree's ./fencepost.
function(write_installed path text)
  string(REGEX REPLACE "(^|[^./A-Za-z0-9_-])\\./fencepost" "\\1fencepost" text "${text}")
  file(WRITE ${TO}/${path} "${text}")
endfunction()

file(GLOB_RECURSE pages RELATIVE ${FROM}/docs ${FROM}/docs/*.md)
foreach(page IN LISTS pages)
  file(READ ${FROM}/docs/${page} text)
  get_filename_component(folder ${page} DIRECTORY)
  if(folder)
    string(REGEX REPLACE "\\]\\(\\.\\./\\.\\./(README\\.md|examples)" "](../\\1" text "${text}")
    string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./\\.\\./[^)]*\\)" "\\1" text "${text}")
  else()
    string(REGEX REPLACE "\\]\\(\\.\\./(README\\.md|examples)" "](\\1" text "${text}")
    string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./[^)]*\\)" "\\1" text "${text}")
  endif()
  write_installed(${page} "${text}")
endforeach()
file(READ ${FROM}/README.md text)
string(REPLACE "](docs/" "](" text "${text}")
string(REGEX REPLACE "\\[([^]]*)\\]\\(CONTRIBUTING\\.md\\)" "\\1" text "${text}")
write_installed(README.md "${text}")

foreach(kind IN ITEMS cpp hpp c h)
  file(GLOB_RECURSE sources RELATIVE ${FROM} ${FROM}/examples/*.${kind})
  foreach(source IN LISTS sources)
    file(READ ${FROM}/${source} text)
    write_installed(${source} "${text}")
  endforeach()
endforeach()
