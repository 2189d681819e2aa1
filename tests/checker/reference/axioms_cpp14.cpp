// SPDX-License-Identifier: MIT
//
// C++14, clause by clause from N4140: the total order S of 29.3 is looked for by putting one
// seq_cst operation after another, in every way, and asking each paragraph about what it says of
// the operation put last and those before it.
#include <vector>

#include "view.hpp"

namespace reference {
namespace {

// 1.10p3: from each store to all that its release sequence contains, or would if it were a release.
relation release_sequences(const candidate& c, const view& v) {
  const relation rmw_of = c.rmw.inverse();
  relation result(v.size);
  for (int head = 0; head < v.size; ++head) {
    if (!contains(v.writes, head)) continue;
    for (int last = 0; last < v.size; ++last) {
      if (head != last && !c.mo.holds(head, last)) continue;
      bool unbroken = true;
      for (int w = 0; w < v.size; ++w) {
        const bool between = c.mo.holds(head, w) && (w == last || c.mo.holds(w, last));
        const bool by_the_same_thread = !v.external.holds(head, w);
        const bool update = !rmw_of.between(singleton(w), v.everything).empty();
        if (between && !by_the_same_thread && !update) unbroken = false;
      }
      if (unbroken) result.add(head, last);
    }
  }
  return result;
}

// 29.3p2 and 29.8p2-4, 1.10p12-13.
relation happens_before_cpp14(const candidate& c, const view& v) {
  const relation before_store = c.po.between(v.release & v.fences, v.writes);
  const relation after_load = c.po.between(v.reads, v.acquire & v.fences);
  const relation releases = relation::identity(v.size, v.release & v.writes) | before_store;
  const relation acquires = relation::identity(v.size, v.acquire & v.reads) | after_load;
  const relation synchronizes = releases.then(release_sequences(c, v)).then(c.rf).then(acquires);
  return (c.po | synchronizes | creation(v)).transitive();
}

struct operation {
  int read = -1;
  int write = -1;
  int fence = -1;

  int first() const { return fence >= 0 ? fence : read >= 0 ? read : write; }
  int last() const { return fence >= 0 ? fence : write >= 0 ? write : read; }
};

class single_order {
 public:
  single_order(const candidate& c, const view& v, const relation& hb, const relation& also_before)
      : c_(c), v_(v), hb_(hb), before_(hb | c.mo | also_before) {
    for (int e = 0; e < v.size; ++e) {
      if (!contains(v.seq_cst, e)) continue;
      operation o;
      if (contains(v.fences, e)) o.fence = e;
      if (contains(v.writes, e)) {
        if (!c.rmw.between(v.everything, singleton(e)).empty()) continue;  // with its read
        o.write = e;
      }
      if (contains(v.reads, e)) {
        o.read = e;
        for (int w = 0; w < v.size; ++w) {
          if (c.rmw.holds(e, w)) o.write = w;
        }
      }
      operations_.push_back(o);
    }
    placed_.resize(operations_.size());
  }

  bool exists() {
    if (order_.size() == operations_.size()) return true;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (placed_[i] || !may_follow(operations_[i])) continue;
      placed_[i] = true;
      order_.push_back(operations_[i]);
      if (exists()) return true;
      order_.pop_back();
      placed_[i] = false;
    }
    return false;
  }

 private:
  bool may_follow(const operation& o) const {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      const operation& other = operations_[i];
      if (!placed_[i] && other.first() != o.first() && precedes(other, o)) return false;
    }
    if (o.read >= 0 && !(paragraph_3(o) && paragraph_5(o))) return false;
    if (o.write >= 0 && !paragraph_7_1(o)) return false;
    return o.fence < 0 || (paragraph_4(o) && paragraphs_6_and_7_3(o) && paragraph_7_2(o));
  }

  bool precedes(const operation& a, const operation& b) const {
    for (const int x : {a.first(), a.last()}) {
      for (const int y : {b.first(), b.last()}) {
        if (before_.holds(x, y)) return true;
      }
    }
    return false;
  }

  int location(int e) const { return c_.events[static_cast<std::size_t>(e)].location; }
  int observed(int read) const {
    int w = 0;
    while (!c_.rf.holds(w, read)) ++w;
    return w;
  }
  // Does the read observe the effect of a or of a later modification?
  bool not_older(int read, int a) const {
    return observed(read) == a || c_.mo.holds(a, observed(read));
  }
  bool modifies(int e, int where) const { return contains(v_.writes, e) && location(e) == where; }

  // The last modification of a location among the operations placed, -1 if there is none.
  int last_modification(int where) const {
    int result = -1;
    for (const operation& o : order_) {
      if (o.write >= 0 && location(o.write) == where) result = o.write;
    }
    return result;
  }

  bool paragraph_3(const operation& b) const {
    const int seen = observed(b.read);
    const int a = last_modification(location(b.read));
    const bool seq_cst = contains(v_.seq_cst, seen);
    if (a < 0) return !seq_cst;
    return seen == a || (!seq_cst && !hb_.holds(seen, a));
  }

  bool paragraph_4(const operation& x) const {
    for (int b = 0; b < v_.size; ++b) {
      if (!contains(v_.reads, b) || !c_.po.holds(x.fence, b)) continue;
      const int a = last_modification(location(b));
      if (a >= 0 && !not_older(b, a)) return false;
    }
    return true;
  }

  bool paragraph_5(const operation& b) const {
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!modifies(a, location(b.read)) || !c_.po.holds(a, x.fence)) continue;
        if (!not_older(b.read, a)) return false;
      }
    }
    return true;
  }

  bool paragraphs_6_and_7_3(const operation& y) const {
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!contains(v_.writes, a) || !c_.po.holds(a, x.fence)) continue;
        for (int b = 0; b < v_.size; ++b) {
          if (!c_.po.holds(y.fence, b) || location(b) != location(a)) continue;
          if (contains(v_.reads, b) && !not_older(b, a)) return false;
          if (contains(v_.writes, b) && !c_.mo.holds(a, b)) return false;
        }
      }
    }
    return true;
  }

  bool paragraph_7_1(const operation& b) const {
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!modifies(a, location(b.write)) || !c_.po.holds(a, x.fence)) continue;
        if (!c_.mo.holds(a, b.write)) return false;
      }
    }
    return true;
  }

  bool paragraph_7_2(const operation& y) const {
    for (const operation& a : order_) {
      for (int b = 0; a.write >= 0 && b < v_.size; ++b) {
        if (!modifies(b, location(a.write)) || !c_.po.holds(y.fence, b)) continue;
        if (!c_.mo.holds(a.write, b)) return false;
      }
    }
    return true;
  }

  const candidate& c_;
  const view& v_;
  const relation hb_;
  const relation before_;
  std::vector<operation> operations_;
  std::vector<bool> placed_;
  std::vector<operation> order_;
};

}  // namespace

bool consistent_cpp14(const candidate& c, const view& v) {
  if (!atomic(c, v)) return false;
  if (!(c.po | c.rf).acyclic()) return false;
  const relation hb = happens_before_cpp14(c, v);
  const relation eco = (c.rf | c.mo | v.from_read).transitive();
  if (!hb.then(eco.reflexive()).irreflexive()) return false;

  const event_set accesses = v.reads | v.writes;
  const relation path = hb | c.po.between(v.fences, accesses)
                                 .then(c.mo | v.from_read)
                                 .then(c.po.between(accesses, v.fences));
  const relation heavy = heavy_order(c, v, path);
  return heavy.irreflexive() && single_order(c, v, hb, heavy).exists();
}

}  // namespace reference
