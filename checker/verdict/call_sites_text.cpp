// SPDX-License-Identifier: MIT
#include "verdict/call_sites_text.hpp"

#include "program/call_sites.hpp"
#include "verdict/names.hpp"

namespace fencepost::checker::report {
namespace {

// The names of the orders in a set of them.
void add_orders(Text& text, std::uint8_t orders) {
  text.add("[");
  bool first = true;
  for (unsigned o = 0; o < 8; ++o) {
    if ((orders >> o & 1) == 0) continue;
    text.add("%s\"%s\"", first ? "" : ",", name(static_cast<Order>(o)));
    first = false;
  }
  text.add("]");
}

}  // namespace

void add_call_sites(Text& text) {
  text.add(",\"sites\":[");
  bool first = true;
  for (const CallSite& site : call_sites.table()) {
    if (!site.called) continue;
    if (site.watched) {
      text.add("%s{\"pc\":%lu,\"what\":\"call\"}", first ? "" : ",",
               static_cast<unsigned long>(site.pc));
      first = false;
      continue;
    }
    Event e{};
    e.kind = Kind::write;
    e.what = site.what;
    text.add("%s{\"pc\":%lu,\"what\":\"%s\",\"size\":%u,\"orders\":", first ? "" : ",",
             static_cast<unsigned long>(site.pc), name(e), site.size);
    add_orders(text, site.asked);
    text.add(",\"failure\":");
    add_orders(text, site.asked_for_failure);
    text.add("}");
    first = false;
  }
  text.add("]");
}

}  // namespace fencepost::checker::report
