# SPDX-License-Identifier: MIT
# The orderings of the study of the event mutex that lose wake-ups, or have an order that C++20
# forbids: for `fencepost run --unsound`, in a folder of their own, and not installed. A test
# compares the list with what the checker says. unsound.hpp watches over those who sleep on them.
set(unsound_protocols
  trunk first_patch first_patch_valid fence_removed lock_word_exchange solution_1_acquire_try
  proposal_1 proposal_1_late_announce proposal_2 proposal_2_late_announce buggy_proposal_3
  proposal_3_as_written proposal_3 proposal_3b patch_22_july asymmetric_without_heavy)

foreach(protocol IN LISTS unsound_protocols)
  set(name event_mutex-${protocol})
  add_preloaded(${name} preload/unsound
    FENCEPOST_PRELOADED=::fencepost::preload::unsound_event_mutex<::fencepost::study::${protocol}>
    FENCEPOST_PRELOADED_HEADER="unsound.hpp"
    FENCEPOST_PRELOADED_PROTOCOL="event_mutex/${protocol}.hpp"
    FENCEPOST_PRELOADED_NAME="${name}")
  set(target fencepost_preload_${name})
  target_sources(${target} PRIVATE unsound.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/study)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Orders that the standard forbids are among what may be chosen.
    target_compile_options(${target} PRIVATE -Wno-invalid-memory-model)
  endif()
endforeach()
