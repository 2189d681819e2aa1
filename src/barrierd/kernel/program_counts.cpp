// SPDX-License-Identifier: MIT
#include "kernel/program_counts.hpp"

#include <bpf/bpf.h>
#include <unistd.h>

namespace barrierd {

std::vector<program_counts> count_programs(const folder& at) {
  std::vector<program_counts> all;
  for (const std::string& name : at.pinned("program_")) {
    const int program = bpf_obj_get(at.program(name).c_str());
    if (program < 0) continue;
    bpf_prog_info info{};
    std::uint32_t length = sizeof info;
    if (bpf_obj_get_info_by_fd(program, &info, &length) == 0) {
      all.push_back({name, info.run_cnt, info.run_time_ns, info.recursion_misses});
    }
    ::close(program);
  }
  return all;
}

}  // namespace barrierd
