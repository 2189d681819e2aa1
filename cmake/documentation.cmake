# SPDX-License-Identifier: MIT
# cmake -DFROM=SOURCE -DTO=FOLDER -P documentation.cmake: the pages as they are installed, all in one
# folder with the examples. Links lead there, or, to what is in the source tree alone, are none.
file(GLOB_RECURSE pages RELATIVE ${FROM}/docs ${FROM}/docs/*.md)
foreach(page IN LISTS pages)
  file(READ ${FROM}/docs/${page} text)
  get_filename_component(folder ${page} DIRECTORY)
  if(folder)
    string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./\\.\\./[^)]*\\)" "\\1" text "${text}")
  else()
    string(REGEX REPLACE "\\]\\(\\.\\./(README\\.md|examples)" "](\\1" text "${text}")
    string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./[^)]*\\)" "\\1" text "${text}")
  endif()
  file(WRITE ${TO}/${page} "${text}")
endforeach()
file(READ ${FROM}/README.md text)
string(REPLACE "](docs/" "](" text "${text}")
string(REGEX REPLACE "\\[([^]]*)\\]\\(CONTRIBUTING\\.md\\)" "\\1" text "${text}")
file(WRITE ${TO}/README.md "${text}")
