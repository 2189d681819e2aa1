// SPDX-License-Identifier: MIT
// Streams that a call into the C++ library uses (unseen_code.hpp).
//
// Whoever uses a stream may use all of it: two threads that do so race, says the standard
// ([iostreams.threadsafety]), but for input and output by the standard streams, as long as they are
// synchronised ([iostream.objects.overview]). What the library
// reads and writes is not announced. Members that are written in line (`good`, `width`, `view`) are
// the program's own code, and access the stream's state and its buffer themselves. So a call
// accesses these, too.
#include "execution/loops/streams.hpp"

#include <link.h>

#include <ios>
#include <streambuf>

#include "execution/accesses/plain_accesses.hpp"
#include "execution/execution.hpp"
#include "execution/loops/unseen_code.hpp"
#include "graph/state_section.hpp"

namespace fencepost::checker {
namespace {

struct Extent {
  std::uintptr_t address;
  std::size_t size;
};
FENCEPOST_CHECKER_STATE constinit Array<Extent> images;  // of the program and its libraries

// A stream's state is its virtual base, and lies behind it and behind the buffer that it has in it.
constexpr std::size_t kMostOfStream = 288;
// In which the buffer of a string stream begins.
constexpr std::size_t kBeginning = 32;
// Where a table of virtual functions has the distance of the first virtual base, before its
// address.
constexpr std::size_t kDistance = 3 * sizeof(std::ptrdiff_t);

// Or in the buffer or state of one: another one may lie right behind it.
bool is_standard(std::uintptr_t stream) {
  if (&fencepost_standard_streams == nullptr) return false;
  for (const StandardStreams::Stream& s : fencepost_standard_streams.all) {
    if (stream - reinterpret_cast<std::uintptr_t>(s.address) < s.size) return true;
  }
  return false;
}

// The call is noted when the thread comes to its next event: the stream may be gone by then, and
// its place be used for something else, which has no table of virtual functions there.
std::size_t size_of_stream(std::uintptr_t stream) {
  const std::uintptr_t table = *reinterpret_cast<const std::uintptr_t*>(stream);
  for (const Extent& image : images) {
    if (table - kDistance - image.address >= image.size) continue;
    const auto to_state = *reinterpret_cast<const std::uintptr_t*>(table - kDistance);
    if (to_state < kMostOfStream) return to_state + sizeof(std::ios);
  }
  return kBeginning;
}

}  // namespace

bool streams_are_synchronised = true;

void find_streams() {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          static_cast<Array<Extent>*>(found)->push_back(
              {info->dlpi_addr + header.p_vaddr, header.p_memsz});
        }
        return 0;
      },
      &images);
}

void use_stream(const NotedCall& call) {
  constexpr std::uintptr_t kFlags = kRead | kWholeStream | kState;
  const std::uintptr_t used = call.used & ~kFlags;
  if ((call.used & kFlags) == kFirstWord) {
    plain_access(used, sizeof(void*), true, call.pc);
    return;
  }
  if (is_standard(used) && (call.used & kState) == 0 && streams_are_synchronised) {
    // Input and output of several threads race with changes of the state, not with each other.
    const std::size_t to_state = size_of_stream(used) - sizeof(std::ios);
    if ((call.used & kWholeStream) != 0)
      plain_access(used + to_state, sizeof(std::ios), false, call.pc);
    return;
  }
  std::size_t size = sizeof(std::streambuf);
  if ((call.used & kState) != 0) size = sizeof(std::ios);
  if ((call.used & kWholeStream) != 0) size = size_of_stream(used);
  plain_access(used, size, (call.used & kRead) == 0, call.pc);
}

}  // namespace fencepost::checker
