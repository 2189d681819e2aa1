// SPDX-License-Identifier: MIT
//
// The environment variable FENCEPOST_ASYMMETRIC_FENCE: the strategy that whoever starts the program
// wants, or `automatic`. A wish that cannot be granted is answered on the standard error output,
// once, and the program goes on with what works.
#pragma once

#include "fencepost/asymmetric_fence/strategy.hpp"

#if !defined(FENCEPOST_CHECK)
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include <cstddef>
#include <iterator>
#include <string_view>

#include "fencepost/detail/kernel.hpp"
#endif

namespace fencepost::asymmetric {

struct wish {
  const char* text = nullptr;                                     // null: none
  asymmetric_strategy strategy = asymmetric_strategy::undecided;  // undecided: any
};

#if defined(FENCEPOST_CHECK)

// What is proved depends on no environment.
inline wish asked_by_environment() noexcept { return {}; }
inline void complain(const wish&, asymmetric_strategy) noexcept {}

#else

inline wish asked_by_environment() noexcept {
  const char* const text = ::secure_getenv("FENCEPOST_ASYMMETRIC_FENCE");
  if (text == nullptr || *text == '\0' || std::string_view(text) == "automatic") return {};
  return {text, named(text)};
}

/// Says why what was asked for is not what was found.
inline void complain(const wish& asked, asymmetric_strategy found) noexcept {
  if (asked.text == nullptr || asked.strategy == found) return;
  const std::string_view why =
      asked.strategy != asymmetric_strategy::undecided
          ? ": this does not work here"
          : ": there is no such strategy, but automatic, private_expedited, global_expedited, "
            "global, mprotect and full_fences";
  const std::string_view pieces[] = {"fencepost: FENCEPOST_ASYMMETRIC_FENCE=",
                                     {asked.text, ::strnlen(asked.text, 100)},
                                     why,
                                     "; in force: ",
                                     asymmetric_fence_strategy_name(found),
                                     "\n"};
  iovec parts[std::size(pieces)];
  for (std::size_t n = 0; n != std::size(pieces); ++n)
    parts[n] = {const_cast<char*>(pieces[n].data()), pieces[n].size()};
  kernel::call(SYS_writev, 2L, parts, std::size(parts));
}

#endif

}  // namespace fencepost::asymmetric
