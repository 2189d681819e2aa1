// SPDX-License-Identifier: MIT
#include "search/workers/channel.hpp"

#include <cerrno>

#include "machine/kernel.hpp"

namespace fencepost::checker {
namespace {

struct Header {
  Message kind;
  std::uint32_t size;
};

}  // namespace

bool Channel::transfer(bool writing, char* data, std::size_t size) const {
  for (std::size_t done = 0; done < size;) {
    const long n =
        kernel::call(writing ? SYS_write : SYS_read, fd_, reinterpret_cast<long>(data + done),
                     static_cast<long>(size - done));
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

bool Channel::send(Message kind, const Bytes& bytes) const {
  Header header{kind, bytes.size()};
  return transfer(true, reinterpret_cast<char*>(&header), sizeof header) &&
         transfer(true, const_cast<char*>(bytes.data()), bytes.size());
}

bool Channel::receive(Message* kind, Bytes* bytes) const {
  Header header{};
  if (!transfer(false, reinterpret_cast<char*>(&header), sizeof header)) return false;
  *kind = header.kind;
  bytes->resize(header.size);
  return transfer(false, bytes->data(), header.size);
}

}  // namespace fencepost::checker
