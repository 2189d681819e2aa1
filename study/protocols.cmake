# SPDX-License-Identifier: MIT
# Makes SUBJECT_protocols.hpp of protocols.json, the one list of what a subject consists of: the
# headers, and a macro that is applied to each name and class.
function(generate_protocols subject)
  set(list ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${subject}/protocols.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(READ ${list} json)
  string(JSON count LENGTH "${json}" protocols)
  math(EXPR last "${count} - 1")
  set(includes "")
  set(entries "")
  foreach(n RANGE ${last})
    string(JSON id GET "${json}" protocols ${n} id)
    string(JSON header GET "${json}" protocols ${n} header)
    string(JSON class GET "${json}" protocols ${n} class)
    string(APPEND includes "#include \"${header}\"\n")
    string(APPEND entries " \\\n  X(\"${id}\", ${class})")
  endforeach()
  string(TOUPPER ${subject} name)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${subject}_protocols.hpp @ONLY CONTENT
"// Made of study/${subject}/protocols.json.
#pragma once

${includes}
#define FENCEPOST_${name}_PROTOCOLS(X)${entries}
")
endfunction()
