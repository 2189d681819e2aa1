// SPDX-License-Identifier: MIT
//
// C++14, clause by clause from N4140: the total order S of 29.3 is looked for by putting one
// seq_cst operation after another, in every way, and asking each paragraph about what it says of
// the operation put last and those before it.
#include <algorithm>
#include <vector>

#include "models/view.hpp"

namespace reference {
namespace {

// Of accesses of several bytes each byte is a location, with orders of its own.
int locations(const candidate& c) {
  int end = 0;
  for (const event& e : c.events) end = std::max(end, e.location + e.width);
  return end;
}
bool accesses(const candidate& c, int e, int where) {
  const event& access = c.events[static_cast<std::size_t>(e)];
  return access.location >= 0 && access.location <= where && where < access.location + access.width;
}
const relation& rf(const candidate& c, int where) {
  return c.rf_at.empty() ? c.rf : c.rf_at[static_cast<std::size_t>(where)];
}
const relation& mo(const candidate& c, int where) {
  return c.mo_at.empty() ? c.mo : c.mo_at[static_cast<std::size_t>(where)];
}

// 1.10p3: from each store to all that its release sequence contains, or would if it were a release,
// for who reads one location; of each location. A read-modify-write of several locations is in the
// sequences of all that it takes one of them from. A store of the head's own thread comes after it;
// of several locations the text does not imply that.
std::vector<relation> release_sequences(const candidate& c, const view& v) {
  const int end = locations(c);
  const relation rmw_of = c.rmw.inverse();
  std::vector<relation> result(static_cast<std::size_t>(end), relation(v.size));
  struct place {
    int write;
    int location;
  };
  for (int head = 0; head < v.size; ++head) {
    if (!contains(v.writes, head)) continue;
    std::vector<place> found;
    const auto enter = [&](int w, int l) {
      relation& sequences = result[static_cast<std::size_t>(l)];
      if (!accesses(c, w, l) || sequences.holds(head, w)) return;
      sequences.add(head, w);
      found.push_back({w, l});
    };
    for (int l = 0; l < end; ++l) enter(head, l);
    while (!found.empty()) {
      const place last = found.back();
      found.pop_back();
      const relation& order = mo(c, last.location);
      for (int w = 0; w < v.size; ++w) {
        if (!order.holds(last.write, w)) continue;
        bool gap = false;
        for (int x = 0; x < v.size && !gap; ++x) {
          gap = order.holds(last.write, x) && order.holds(x, w);
        }
        if (gap || !accesses(c, w, last.location)) continue;
        const bool update = !rmw_of.between(singleton(w), v.everything).empty();
        if (!update && c.po.holds(head, w)) enter(w, last.location);
        for (int l = 0; l < end && update; ++l) enter(w, l);
      }
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
  relation result = c.po | creation(v);
  const std::vector<relation> sequences = release_sequences(c, v);
  for (int l = 0; l < locations(c); ++l) {
    const relation& sequence = sequences[static_cast<std::size_t>(l)];
    result = result | releases.then(sequence).then(rf(c, l)).then(acquires);
  }
  return result.transitive();
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
    return everywhere([&](int l) {
      if (o.read >= 0 && !(paragraph_3(o, l) && paragraph_5(o, l))) return false;
      if (o.write >= 0 && !paragraph_7_1(o, l)) return false;
      return o.fence < 0 ||
             (paragraph_4(o, l) && paragraphs_6_and_7_3(o, l) && paragraph_7_2(o, l));
    });
  }

  bool precedes(const operation& a, const operation& b) const {
    for (const int x : {a.first(), a.last()}) {
      for (const int y : {b.first(), b.last()}) {
        if (before_.holds(x, y)) return true;
      }
    }
    return false;
  }

  int observed(int read, int where) const {
    int w = 0;
    while (!contains(v_.writes, w) || !accesses(c_, w, where) || !rf(c_, where).holds(w, read)) ++w;
    return w;
  }
  // Does the read observe the effect of a or of a later modification of the location?
  bool not_older(int read, int a, int where) const {
    const int seen = observed(read, where);
    return seen == a || mo(c_, where).holds(a, seen);
  }
  bool modifies(int e, int where) const { return contains(v_.writes, e) && accesses(c_, e, where); }
  bool reads(int e, int where) const { return contains(v_.reads, e) && accesses(c_, e, where); }

  // The last modification of a location among the operations placed, -1 if there is none.
  int last_modification(int where) const {
    int result = -1;
    for (const operation& o : order_) {
      if (o.write >= 0 && modifies(o.write, where)) result = o.write;
    }
    return result;
  }

  // Each paragraph speaks of one location; so all of them do of every one.
  template <typename Paragraph>
  bool everywhere(Paragraph holds) const {
    for (int l = 0; l < locations(c_); ++l) {
      if (!holds(l)) return false;
    }
    return true;
  }

  bool paragraph_3(const operation& b, int where) const {
    if (!reads(b.read, where)) return true;
    const int seen = observed(b.read, where);
    const int a = last_modification(where);
    const bool seq_cst = contains(v_.seq_cst, seen);
    if (a < 0) return !seq_cst;
    return seen == a || (!seq_cst && !hb_.holds(seen, a));
  }

  bool paragraph_4(const operation& x, int where) const {
    for (int b = 0; b < v_.size; ++b) {
      if (!reads(b, where) || !c_.po.holds(x.fence, b)) continue;
      const int a = last_modification(where);
      if (a >= 0 && !not_older(b, a, where)) return false;
    }
    return true;
  }

  bool paragraph_5(const operation& b, int where) const {
    if (!reads(b.read, where)) return true;
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!modifies(a, where) || !c_.po.holds(a, x.fence)) continue;
        if (!not_older(b.read, a, where)) return false;
      }
    }
    return true;
  }

  bool paragraphs_6_and_7_3(const operation& y, int where) const {
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!modifies(a, where) || !c_.po.holds(a, x.fence)) continue;
        for (int b = 0; b < v_.size; ++b) {
          if (!c_.po.holds(y.fence, b)) continue;
          if (reads(b, where) && !not_older(b, a, where)) return false;
          if (modifies(b, where) && !mo(c_, where).holds(a, b)) return false;
        }
      }
    }
    return true;
  }

  bool paragraph_7_1(const operation& b, int where) const {
    if (!modifies(b.write, where)) return true;
    for (const operation& x : order_) {
      for (int a = 0; x.fence >= 0 && a < v_.size; ++a) {
        if (!modifies(a, where) || !c_.po.holds(a, x.fence)) continue;
        if (!mo(c_, where).holds(a, b.write)) return false;
      }
    }
    return true;
  }

  bool paragraph_7_2(const operation& y, int where) const {
    for (const operation& a : order_) {
      if (a.write < 0 || !modifies(a.write, where)) continue;
      for (int b = 0; b < v_.size; ++b) {
        if (!modifies(b, where) || !c_.po.holds(y.fence, b)) continue;
        if (!mo(c_, where).holds(a.write, b)) return false;
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
  if (!atomic(c, v) || !whole(c)) return false;
  if (!(c.po | c.rf).acyclic()) return false;
  const relation hb = happens_before_cpp14(c, v);
  if (!hb.then(v.eco.reflexive()).irreflexive()) return false;

  const event_set accesses = v.reads | v.writes;
  const relation path = hb | c.po.between(v.fences, accesses)
                                 .then(c.mo | v.from_read)
                                 .then(c.po.between(accesses, v.fences));
  const relation heavy = heavy_order(c, v, path);
  return heavy.irreflexive() && single_order(c, v, hb, heavy).exists();
}

}  // namespace reference
