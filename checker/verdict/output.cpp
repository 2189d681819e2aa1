// SPDX-License-Identifier: MIT
#include "verdict/output.hpp"

#include <cerrno>

#include "execution/execution.hpp"
#include "machine/kernel.hpp"
#include "search/workers/worker.hpp"
#include "verdict/verdict.hpp"

namespace fencepost::checker::report {

void send(Text& text) {
  Bytes& line = text.bytes();
  line.push_back('\n');
  if (execution.is_worker) {
    worker::output(line);
  } else {
    verdict.relay(line);
  }
  text.clear();
}

void leave(int status) {
  kernel::call(SYS_exit_group, status);
  __builtin_unreachable();
}

}  // namespace fencepost::checker::report

namespace fencepost::checker {

void Verdict::relay(const Bytes& line) {
  for (std::uint32_t done = 0; done < line.size();) {
    const long n =
        kernel::call(SYS_write, execution.options.fd, reinterpret_cast<long>(line.data() + done),
                     static_cast<long>(line.size() - done));
    if (n == -EINTR) continue;
    if (n <= 0) {
      constexpr char message[] = "fencepost check: the result cannot be written\n";
      kernel::call(SYS_write, 2, reinterpret_cast<long>(message), sizeof message - 1);
      report::leave(2);
    }
    done += static_cast<std::uint32_t>(n);
  }
}

}  // namespace fencepost::checker
