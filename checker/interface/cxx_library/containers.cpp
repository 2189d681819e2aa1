// SPDX-License-Identifier: MIT
// What std::list, std::map, std::set and their kin do out of line, in the C++ library, where nobody
// would see it: linking nodes, walking through a tree, keeping it balanced. So that whoever looks
// at a container while another thread changes it is seen, these are functions of our own, by the
// declarations of the library's headers, that announce each access.
//
// Trees are red-black trees (Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, chapter
// 13) in the library's layout: a header whose parent is the root, whose left and right are the
// first and the last node, and which is red; the root's parent is the header.
#include <list>
#include <map>

#include "interface/c_library/touched.hpp"

namespace fencepost::checker {
namespace {

template <typename T>
T get(const T& field, std::uint64_t pc) {
  reads(&field, sizeof field, pc);
  return field;
}

template <typename T>
void set(T& field, T value, std::uint64_t pc) {
  writes(&field, sizeof field, pc);
  field = value;
}

using Link = std::__detail::_List_node_base;

void join(Link* before, Link* after, std::uint64_t pc) {
  set(before->_M_next, after, pc);
  set(after->_M_prev, before, pc);
}

// Moves the nodes from `first` on, up to but without `last`, to before `place`.
void move_links(Link* place, Link* first, Link* last, std::uint64_t pc) {
  if (place == last) return;
  Link* const last_moved = get(last->_M_prev, pc);
  Link* const before_first = get(first->_M_prev, pc);
  Link* const before_place = get(place->_M_prev, pc);
  join(before_first, last, pc);
  join(before_place, first, pc);
  join(last_moved, place, pc);
}

// Puts the nodes of the list `from` into the list `to`, which has none.
void take_links(Link* to, Link* from, std::uint64_t pc) {
  Link* const first = get(from->_M_next, pc);
  Link* const last = get(from->_M_prev, pc);
  join(to, first, pc);
  join(last, to, pc);
  join(from, from, pc);
}

using Node = std::_Rb_tree_node_base;

enum Side : bool { kLeft, kRight };
Side other(Side side) { return side == kLeft ? kRight : kLeft; }

class Tree {
 public:
  explicit Tree(std::uint64_t pc) : pc_(pc) {}
  Tree(Node& header, std::uint64_t pc) : header_(&header), pc_(pc) {}

  Node* parent(const Node* n) const { return get(n->_M_parent, pc_); }
  Node* child(const Node* n, Side side) const {
    return get(side == kLeft ? n->_M_left : n->_M_right, pc_);
  }
  bool is_red(const Node* n) const { return n != nullptr && color(n) == std::_S_red; }

  // The node farthest on that side of those below.
  Node* outermost(Node* n, Side side) const {
    for (Node* next = child(n, side); next != nullptr; next = child(n, side)) n = next;
    return n;
  }

  // The next node in order, on that side: the header after the last.
  Node* neighbour(Node* n, Side side) const {
    if (Node* const below = child(n, side)) return outermost(below, other(side));
    Node* above = parent(n);
    while (n == child(above, side)) {
      n = above;
      above = parent(above);
    }
    // A root without children on that side: its parent is the header, whose parent it is.
    return child(n, side) != above ? above : n;
  }

  // The previous one; of the header, the end, that is the last.
  Node* before(Node* n) const {
    const bool is_header = is_red(n) && parent(parent(n)) == n;
    return is_header ? child(n, kRight) : neighbour(n, kLeft);
  }

  void insert(Node* n, Node* above, Side side) {
    set(n->_M_parent, above, pc_);
    set_child(n, kLeft, nullptr);
    set_child(n, kRight, nullptr);
    set_color(n, std::_S_red);
    if (above == header_) {
      set(header_->_M_parent, n, pc_);
      set_child(header_, kLeft, n);
      set_child(header_, kRight, n);
    } else {
      set_child(above, side, n);
      if (child(header_, side) == above) set_child(header_, side, n);
    }
    while (n != root() && is_red(parent(n))) {
      Node* const up = parent(n);
      Node* const top = parent(up);
      const Side here = side_of(up);
      Node* const uncle = child(top, other(here));
      if (is_red(uncle)) {
        set_color(up, std::_S_black);
        set_color(uncle, std::_S_black);
        set_color(top, std::_S_red);
        n = top;
        continue;
      }
      if (n != child(up, here)) rotate(up, here);
      set_color(child(top, here), std::_S_black);
      set_color(top, std::_S_red);
      rotate(top, other(here));
      break;
    }
    set_color(root(), std::_S_black);
  }

  void erase(Node* gone) {
    for (const Side side : {kLeft, kRight}) {
      // Before it is unlinked: what is then the first, or the last.
      if (child(header_, side) == gone) set_child(header_, side, neighbour(gone, other(side)));
    }
    Node* below;               // takes the place that becomes empty; may be none
    Node* above;               // its parent there
    std::_Rb_tree_color lost;  // the colour that is missing there
    if (child(gone, kLeft) != nullptr && child(gone, kRight) != nullptr) {
      Node* const heir = outermost(child(gone, kRight), kLeft);
      lost = color(heir);
      below = child(heir, kRight);
      above = parent(heir);
      if (above == gone) {
        above = heir;
      } else {
        replace(heir, below);
        hang(heir, kRight, child(gone, kRight));
      }
      replace(gone, heir);
      hang(heir, kLeft, child(gone, kLeft));
      set_color(heir, color(gone));
    } else {
      lost = color(gone);
      below = child(gone, child(gone, kLeft) == nullptr ? kRight : kLeft);
      above = parent(gone);
      replace(gone, below);
    }
    if (lost == std::_S_black) repair(below, above);
  }

 private:
  Node* root() const { return parent(header_); }
  std::_Rb_tree_color color(const Node* n) const { return get(n->_M_color, pc_); }
  void set_color(Node* n, std::_Rb_tree_color color) { set(n->_M_color, color, pc_); }
  void set_child(Node* n, Side side, Node* below) {
    set(side == kLeft ? n->_M_left : n->_M_right, below, pc_);
  }
  void hang(Node* n, Side side, Node* below) {
    set_child(n, side, below);
    if (below != nullptr) set(below->_M_parent, n, pc_);
  }
  Side side_of(const Node* n) const { return child(parent(n), kLeft) == n ? kLeft : kRight; }

  // Puts `n`, or nothing, where `old` is.
  void replace(Node* old, Node* n) {
    Node* const above = parent(old);
    if (old == root()) {
      set(header_->_M_parent, n, pc_);
    } else {
      set_child(above, side_of(old), n);
    }
    if (n != nullptr) set(n->_M_parent, above, pc_);
  }

  // Moves a node down on that side; its child on the other takes its place.
  void rotate(Node* n, Side side) {
    Node* const up = child(n, other(side));
    replace(n, up);
    hang(n, other(side), child(up, side));
    hang(up, side, n);
  }

  // On the ways through `n`, which is a child of `above` and may be none, a black node is missing.
  void repair(Node* n, Node* above) {
    while (n != root() && !is_red(n)) {
      const Side side = n == child(above, kLeft) ? kLeft : kRight;
      Node* sibling = child(above, other(side));
      if (is_red(sibling)) {
        set_color(sibling, std::_S_black);
        set_color(above, std::_S_red);
        rotate(above, side);
        sibling = child(above, other(side));
      }
      if (!is_red(child(sibling, kLeft)) && !is_red(child(sibling, kRight))) {
        set_color(sibling, std::_S_red);
        n = above;
        above = parent(n);
        continue;
      }
      if (!is_red(child(sibling, other(side)))) {
        set_color(child(sibling, side), std::_S_black);
        set_color(sibling, std::_S_red);
        rotate(sibling, other(side));
        sibling = child(above, other(side));
      }
      set_color(sibling, color(above));
      set_color(above, std::_S_black);
      set_color(child(sibling, other(side)), std::_S_black);
      rotate(above, side);
      n = root();
    }
    if (n != nullptr) set_color(n, std::_S_black);
  }

  Node* header_ = nullptr;
  const std::uint64_t pc_;
};

}  // namespace
}  // namespace fencepost::checker

namespace checker = fencepost::checker;

namespace std {
namespace __detail {

void _List_node_base::_M_hook(_List_node_base* const place) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  _List_node_base* const before = checker::get(place->_M_prev, pc);
  checker::join(before, this, pc);
  checker::join(this, place, pc);
}

void _List_node_base::_M_unhook() noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  checker::join(checker::get(_M_prev, pc), checker::get(_M_next, pc), pc);
}

void _List_node_base::_M_transfer(_List_node_base* const first,
                                  _List_node_base* const last) noexcept {
  const checker::LeaveNoTrace clean;
  checker::move_links(this, first, last, FENCEPOST_PC());
}

void _List_node_base::_M_reverse() noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  _List_node_base* n = this;
  do {
    _List_node_base* const next = checker::get(n->_M_next, pc);
    checker::set(n->_M_next, checker::get(n->_M_prev, pc), pc);
    checker::set(n->_M_prev, next, pc);
    n = next;
  } while (n != this);
}

void _List_node_base::swap(_List_node_base& one, _List_node_base& another) noexcept {
  const checker::LeaveNoTrace clean;
  const std::uint64_t pc = FENCEPOST_PC();
  const bool one_has_none = checker::get(one._M_next, pc) == &one;
  const bool other_has_none = checker::get(another._M_next, pc) == &another;
  if (one_has_none && other_has_none) return;
  if (one_has_none) {
    checker::take_links(&one, &another, pc);
  } else if (other_has_none) {
    checker::take_links(&another, &one, pc);
  } else {
    _List_node_base kept;
    kept._M_next = kept._M_prev = &kept;
    checker::take_links(&kept, &one, pc);
    checker::take_links(&one, &another, pc);
    checker::take_links(&another, &kept, pc);
  }
}

}  // namespace __detail

_Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* n) noexcept {
  const checker::LeaveNoTrace clean;
  return checker::Tree(FENCEPOST_PC()).neighbour(n, checker::kRight);
}
const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* n) noexcept {
  const checker::LeaveNoTrace clean;
  return checker::Tree(FENCEPOST_PC())
      .neighbour(const_cast<_Rb_tree_node_base*>(n), checker::kRight);
}

_Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* n) noexcept {
  const checker::LeaveNoTrace clean;
  return checker::Tree(FENCEPOST_PC()).before(n);
}
const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* n) noexcept {
  const checker::LeaveNoTrace clean;
  return checker::Tree(FENCEPOST_PC()).before(const_cast<_Rb_tree_node_base*>(n));
}

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base* n,
                                   _Rb_tree_node_base* above, _Rb_tree_node_base& header) noexcept {
  const checker::LeaveNoTrace clean;
  checker::Tree(header, FENCEPOST_PC()).insert(n, above, left ? checker::kLeft : checker::kRight);
}

_Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const gone,
                                                 _Rb_tree_node_base& header) noexcept {
  const checker::LeaveNoTrace clean;
  checker::Tree(header, FENCEPOST_PC()).erase(gone);
  return gone;
}

}  // namespace std
