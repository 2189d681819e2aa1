// SPDX-License-Identifier: MIT
#include "daemon/privileges.hpp"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "failure.hpp"

namespace barrierd {
namespace {

struct capabilities {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};

  bool has(unsigned which) const { return ((data[which / 32].effective >> (which % 32)) & 1) != 0; }
};

capabilities own_capabilities() {
  capabilities own;
  if (::syscall(SYS_capget, &own.header, own.data) != 0) throw failure_of("capget", errno);
  return own;
}

}  // namespace

void require_capabilities() {
  const capabilities own = own_capabilities();
  if (own.has(CAP_SYS_ADMIN)) return;
  std::string missing;
  if (!own.has(CAP_BPF)) missing += " CAP_BPF";
  if (!own.has(CAP_PERFMON)) missing += " CAP_PERFMON";
  if (missing.empty()) return;
  throw failure("missing capabilities:" + missing +
                ". Start it as root, or by its systemd unit, which gives it both");
}

bool may_administer() { return own_capabilities().has(CAP_SYS_ADMIN); }

void drop_capabilities() {
  // Behind this no program that it might start has more rights either.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw failure_of("PR_SET_NO_NEW_PRIVS", errno);
  // Allowed to root alone; whoever is not has nothing to lose there.
  for (int which = 0; ::prctl(PR_CAPBSET_READ, which, 0, 0, 0) >= 0; ++which) {
    ::prctl(PR_CAPBSET_DROP, which, 0, 0, 0);
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  capabilities none;
  if (::syscall(SYS_capset, &none.header, none.data) != 0) throw failure_of("capset", errno);
}

}  // namespace barrierd
