// SPDX-License-Identifier: MIT
#include "models/view.hpp"

namespace reference {
namespace {

relation synchronizes_with(const candidate& c, const view& v) {
  const relation release_side =
      c.po.between(v.fences, v.everything).reflexive().between(v.release, v.writes);
  const relation acquire_side =
      c.po.between(v.everything, v.fences).reflexive().between(v.reads, v.acquire);
  // The release sequence of C++20: the write and a chain of read-modify-writes from it.
  const relation release_sequence = c.rf.then(c.rmw).transitive().reflexive();
  return release_side.then(release_sequence).then(c.rf).then(acquire_side);
}

relation happens_before(const candidate& c, const view& v) {
  return (c.po | synchronizes_with(c, v) | creation(v)).transitive();
}

// RC11 of Lahav, Vafeiadis, Kang, Hur, Dreyer (PLDI 2017), section 3, with the release sequence
// of C++20.
bool consistent_cpp20(const candidate& c, const view& v) {
  if (!atomic(c, v) || !whole(c)) return false;
  if (!(c.po | c.rf).acyclic()) return false;

  const relation& fr = v.from_read;
  const relation hb = happens_before(c, v);
  const relation& eco = v.eco;
  if (!hb.then(eco.reflexive()).irreflexive()) return false;

  const event_set sc_fences = v.seq_cst & v.fences;
  const relation po_elsewhere = c.po - v.same_location;
  const relation scb =
      c.po | po_elsewhere.then(hb).then(po_elsewhere) | (hb & v.same_location) | c.mo | fr;
  const relation sc = relation::identity(v.size, v.seq_cst);
  const relation before = sc | hb.reflexive().between(sc_fences, v.everything);
  const relation after = sc | hb.reflexive().between(v.everything, sc_fences);
  const relation psc_base = before.then(scb).then(after);
  const relation fence_path = hb | hb.then(eco).then(hb);
  const relation psc_fence = fence_path.between(sc_fences, sc_fences);
  return (psc_base | psc_fence | heavy_order(c, v, fence_path)).acyclic();
}

// Sequential consistency as in Shasha and Snir (TOPLAS 1988), Alglave et al. (TOPLAS 2014).
bool consistent_sc(const candidate& c, const view& v) {
  const relation all = c.po | c.rf | c.mo | v.from_read;
  return atomic(c, v) && whole(c) && all.acyclic() && heavy_order(c, v, all.transitive()).acyclic();
}

// x86-TSO as in Alglave, Maranget, Tautschnig (TOPLAS 2014), on the usual compiled code.
bool consistent_x86(const candidate& c, const view& v) {
  if (!atomic(c, v) || !whole(c)) return false;
  const relation& fr = v.from_read;
  // A load takes from the store buffer what is there of it and the rest from memory, so coherence
  // is a matter of each location alone.
  for (const relation& eco : v.eco_at) {
    if (!c.po.then(eco).irreflexive() || !eco.irreflexive()) return false;
  }

  const event_set accesses = v.reads | v.writes;
  // A seq_cst store is xchg; each read-modify-write has a lock prefix; a seq_cst fence is mfence.
  const event_set full = (v.seq_cst & (v.writes | v.fences)) | v.locked;
  const relation through = relation::identity(v.size, full);
  const relation po_reflexive = c.po.reflexive();
  const relation fenced =
      c.po & po_reflexive.then(through).then(po_reflexive).between(accesses, accesses);
  const relation preserved =
      c.po.between(accesses, accesses) - relation::product(v.size, v.writes, v.reads);
  const relation rfe = c.rf & v.external;
  const relation order = (preserved | fenced | rfe | c.mo | fr).transitive();
  const relation between_fences = c.po | c.po.between(v.fences, accesses)
                                             .then(order.reflexive())
                                             .then(c.po.between(accesses, v.fences));
  return order.irreflexive() && heavy_order(c, v, between_fences).acyclic();
}

}  // namespace

std::optional<model> model_named(std::string_view name) {
  if (name == "sc") return model::sc;
  if (name == "c++14") return model::cpp14;
  if (name == "c++20") return model::cpp20;
  if (name == "x86") return model::x86;
  return std::nullopt;
}

bool consistent(model which, const candidate& c) {
  const view v(c);
  switch (which) {
    case model::sc:
      return consistent_sc(c, v);
    case model::cpp14:
      return consistent_cpp14(c, v);
    case model::cpp20:
      return consistent_cpp20(c, v);
    case model::x86:
      return consistent_x86(c, v);
  }
  return false;
}

relation synchronizes_with(const candidate& c) { return synchronizes_with(c, view(c)); }
relation happens_before(const candidate& c) { return happens_before(c, view(c)); }

}  // namespace reference
