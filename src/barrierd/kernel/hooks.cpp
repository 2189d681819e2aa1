// SPDX-License-Identifier: MIT
#include "kernel/hooks.hpp"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <array>
#include <memory>

#include "failure.hpp"

namespace barrierd {
namespace {

constexpr std::array x86_alone{"local_timer_entry", "reschedule_entry", "call_function_entry",
                               "call_function_single_entry"};

bool is_x86(const std::string& name) {
  return std::find(x86_alone.begin(), x86_alone.end(), name) != x86_alone.end();
}

/// Of the section's name, "tp_btf/NAME".
std::string tracepoint_of(const bpf_program* program) {
  const std::string section = bpf_program__section_name(program);
  return section.substr(section.find('/') + 1);
}

}  // namespace

bool choose_hooks(bpf_object* object, hook_choice choice) {
  const std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_vmlinux_btf(), btf__free);
  if (types == nullptr) {
    throw failure(
        "this kernel does not say how its data is laid out (/sys/kernel/btf/vmlinux): it must be "
        "built with CONFIG_DEBUG_INFO_BTF");
  }
  const auto exists = [&](const std::string& tracepoint) {
    return btf__find_by_name_kind(types.get(), ("btf_trace_" + tracepoint).c_str(),
                                  BTF_KIND_TYPEDEF) > 0;
  };
  const bool x86 =
      choice == hook_choice::x86 || (choice != hook_choice::generic && exists(x86_alone.front()));
  bool timers = false;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    const std::string tracepoint = tracepoint_of(program);
    const bool wanted = is_x86(tracepoint) == x86 && exists(tracepoint);
    bpf_program__set_autoload(program, wanted);
    timers = timers || (wanted && (!x86 || tracepoint == x86_alone.front()));
  }
  if (!timers) {
    throw failure(std::string("this kernel has no tracepoint for the interrupts of timers") +
                  (choice == hook_choice::x86 ? "; try --hooks generic" : ""));
  }
  return x86;
}

}  // namespace barrierd
