// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace barrierd {
namespace {

constexpr std::array<std::pair<const char*, task>, 8> tasks{{{"--once", task::once},
                                                             {"--stop", task::stop},
                                                             {"--status", task::status},
                                                             {"--metrics", task::metrics},
                                                             {"--self-test", task::self_test},
                                                             {"--help", task::help},
                                                             {"-h", task::help},
                                                             {"--version", task::version}}};

hook_choice hooks_named(const std::string& name) {
  if (name == "auto") return hook_choice::automatic;
  if (name == "x86") return hook_choice::x86;
  if (name == "generic") return hook_choice::generic;
  throw bad_usage{"--hooks is auto, x86 or generic, not '" + name + "'"};
}

std::string folder_named(std::string name) {
  if (name.empty() || name[0] != '/') {
    throw bad_usage{"--directory needs a path that begins with '/', not '" + name + "'"};
  }
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

double seconds_named(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value) || value <= 0 || value > 3600) {
    throw bad_usage{"--seconds is a number above 0, up to 3600, not '" + text + "'"};
  }
  return value;
}

}  // namespace

arguments parse(const std::vector<std::string>& words) {
  arguments result;
  std::optional<std::string> chosen;
  for (auto word = words.begin(); word != words.end(); ++word) {
    std::string name = *word;
    std::optional<std::string> attached;
    if (const auto equals = name.find('='); name.starts_with("--") && equals != name.npos) {
      attached = name.substr(equals + 1);
      name.resize(equals);
    }
    const auto value = [&]() -> std::string {
      if (attached) return *std::exchange(attached, std::nullopt);
      if (word + 1 == words.end()) throw bad_usage{name + " needs a value"};
      return *++word;
    };
    bool known = true;
    if (name == "--directory") {
      result.directory = folder_named(value());
    } else if (name == "--hooks") {
      result.hooks = hooks_named(value());
    } else if (name == "--seconds") {
      result.seconds = seconds_named(value());
    } else if (name == "--mount") {
      result.mount = true;
    } else if (name == "--verbose") {
      result.verbose = true;
    } else {
      known = false;
      for (const auto& [text, what] : tasks) {
        if (name != text) continue;
        if (chosen && *chosen != name)
          throw bad_usage{*chosen + " and " + name + " exclude each other"};
        chosen = name;
        result.what = what;
        known = true;
      }
    }
    if (!known) throw bad_usage{"unknown argument '" + *word + "'"};
    if (attached) throw bad_usage{name + " takes no value"};
  }
  return result;
}

const char* usage() {
  return R"(usage: fencepost-barrierd [--once | --stop | --status | --metrics | --self-test] [OPTION]...

Has the kernel write down when each processor was last interrupted, idle or switching threads, in
memory that every process may map (fencepost/interrupt_clock.hpp).

  (nothing)          runs until SIGTERM, SIGINT or SIGHUP; the clock ends with the process
  --once             pins the clock in the kernel and exits; it runs until --stop or a restart
  --stop             ends the clock of the directory, however it was started
  --status           prints what the clock says, as JSON; as root also what it costs
  --metrics          prints its counters for Prometheus; exit status 1 if it is not alive
  --self-test        tries the clock that runs: age, order, protection

  --directory DIR    where the clock is pinned, on a BPF file system (default /run/fencepost)
  --mount            mounts a BPF file system there if there is none (needs CAP_SYS_ADMIN)
  --hooks KIND       which interrupts are used, by their names: x86, generic or auto (default)
  --seconds N        how long --status and --self-test watch (default 1)
  --verbose          shows what libbpf says
  --version, --help

Starting it needs CAP_BPF and CAP_PERFMON and a kernel of 5.17 or later with BTF; all capabilities are
given up when the program is attached. With --once nobody wakes those who wait for the clock; they
look for themselves.

exit status: 0 done, 1 failed, 3 bad usage
)";
}

}  // namespace barrierd
