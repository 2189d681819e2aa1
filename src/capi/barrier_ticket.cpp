// SPDX-License-Identifier: MIT
#include "fencepost/barrier_ticket.hpp"

#include <new>
#include <type_traits>

#include "deadline.hpp"
#include "exports.hpp"
#include "object.hpp"

namespace {

using fencepost::barrier_ticket;

// A copy of the struct is a copy of the ticket, and one that nobody ends costs nothing.
static_assert(std::is_trivially_copyable_v<barrier_ticket>);

barrier_ticket& ticket_in(fencepost_barrier_ticket* ticket) noexcept {
  return fencepost::object<barrier_ticket, sizeof(fencepost_barrier_ticket)>(ticket);
}

int wait(fencepost_barrier_ticket* ticket, const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  using time_point = barrier_ticket::time_point;
  ticket_in(ticket).wait_until(deadline.for_ever ? time_point::max() : deadline.at);
  return 0;
}

}  // namespace

void fencepost_barrier_ticket_begin(fencepost_barrier_ticket* ticket,
                                    const void* processors) noexcept {
  new (ticket) barrier_ticket(barrier_ticket::begin(static_cast<const cpu_set_t*>(processors)));
}

bool fencepost_barrier_ticket_ready(fencepost_barrier_ticket* ticket) noexcept {
  return ticket_in(ticket).ready();
}

int fencepost_barrier_ticket_wait_until(fencepost_barrier_ticket* ticket,
                                        const timespec* deadline) noexcept {
  return wait(ticket, fencepost::until(deadline));
}

int fencepost_barrier_ticket_wait_for(fencepost_barrier_ticket* ticket,
                                      const timespec* timeout) noexcept {
  return wait(ticket, fencepost::after(timeout));
}

void fencepost_barrier_ticket_finish(fencepost_barrier_ticket* ticket) noexcept {
  ticket_in(ticket).finish();
}

void fencepost_barrier_check_in() noexcept { fencepost::barrier_check_in(); }
