// SPDX-License-Identifier: MIT
//
// fencepost-barrierd: begins, ends, shows and tries the interrupt clock of this machine.
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "daemon/serve.hpp"
#include "failure.hpp"
#include "inspection/metrics.hpp"
#include "inspection/self_test.hpp"
#include "inspection/status.hpp"
#include "kernel/messages.hpp"

namespace {

/// For tasks of which nothing but their output is wanted.
int written(int status) {
  if (std::fflush(stdout) != 0) {
    throw barrierd::failure_of("cannot write the standard output", errno);
  }
  if (std::ferror(stdout) != 0) throw barrierd::failure("cannot write the standard output");
  return status;
}

int run(const barrierd::arguments& chosen) {
  using barrierd::task;
  switch (chosen.what) {
    case task::serve:
      return barrierd::serve(chosen);
    case task::once:
      return barrierd::once(chosen);
    case task::stop:
      return barrierd::stop(chosen);
    case task::status:
      return written(barrierd::status(chosen));
    case task::metrics:
      return written(barrierd::metrics(chosen));
    case task::self_test:
      return written(barrierd::self_test(chosen));
    case task::help:
      std::fputs(barrierd::usage(), stdout);
      return written(0);
    case task::version:
      std::puts("fencepost-barrierd " FENCEPOST_BARRIERD_VERSION);
      return written(0);
  }
  return 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    const auto chosen = barrierd::parse({words + (count > 0 ? 1 : 0), words + count});
    barrierd::keep_messages(chosen.verbose);
    return run(chosen);
  } catch (const barrierd::bad_usage& wrong) {
    std::fprintf(stderr, "fencepost-barrierd: %s (--help shows what there is)\n",
                 wrong.text.c_str());
    return 3;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "fencepost-barrierd: %s\n", failed.what());
    return 1;
  }
}
