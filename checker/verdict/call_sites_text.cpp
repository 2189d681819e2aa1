// SPDX-License-Identifier: MIT
#include "verdict/call_sites_text.hpp"

#include "execution/accesses/coverage.hpp"
#include "execution/call_sites.hpp"
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

struct OutcomeName {
  Outcome shown;
  const char* name;
};
constexpr OutcomeName kShown[] = {{kSucceeds, "succeeds"},
                                  {kFails, "fails"},
                                  {kSleeps, "sleeps"},
                                  {kVaries, "varies"},
                                  {kAmongOthers, "among-others"},
                                  {kReadsStored, "reads-stored"},
                                  {kOverwritten, "overwritten"}};

}  // namespace

void add_coverage(Text& text) {
  text.add(",\"coverage\":[");
  const char* before = "";
  for (const CoveredSite& site : coverage.table()) {
    if (site.pc == 0) continue;
    Event e{};
    e.kind = Kind::write;
    e.what = site.what;
    text.add("%s{\"pc\":%lu,\"what\":\"%s\",\"value\":%lu,\"shown\":[", before,
             static_cast<unsigned long>(site.pc), site.what == Operation::none ? "plain" : name(e),
             static_cast<unsigned long>(site.value));
    bool first = true;
    for (const OutcomeName& one : kShown) {
      if ((site.shown & one.shown) == 0) continue;
      text.add("%s\"%s\"", first ? "" : ",", one.name);
      first = false;
    }
    text.add("]}");
    before = ",";
  }
  text.add("]");
}

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
    if (site.from != 0) text.add(",\"from\":%lu", static_cast<unsigned long>(site.from));
    text.add("}");
    first = false;
  }
  text.add("]");
}

}  // namespace fencepost::checker::report
