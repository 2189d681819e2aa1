// SPDX-License-Identifier: MIT
// A loop that is entered at its header alone: its blocks, its turns, the edges that leave it.
#pragma once

#include "gcc_headers.hpp"

namespace fencepost::plugin {

// Where dominators are known: does it go back to the header of a loop?
inline bool is_turn(edge e) { return dominated_by_p(CDI_DOMINATORS, e->src, e->dest); }

class NaturalLoop {
 public:
  // Where dominators are known.
  explicit NaturalLoop(basic_block header) : header_(header) {
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, header->preds) {
      if (is_turn(e)) turns_.safe_push(e);
    }
  }

  // Is the block the header of a loop at all?
  bool turns() const { return !turns_.is_empty(); }

 protected:
  bool contains(basic_block block) { return bitmap_bit_p(body_, block->index); }

  // What only looks throws nothing.
  static bool is_never_gone(edge e) { return (e->flags & EDGE_EH) != 0; }

  // The blocks of the natural loop, and the edges that leave it.
  bool find_body() {
    auto_vec<basic_block> left;
    bitmap_set_bit(body_, header_->index);
    blocks_.safe_push(header_);
    for (unsigned i = 0; i < turns_.length(); ++i) left.safe_push(turns_[i]->src);
    edge e;
    edge_iterator i;
    while (!left.is_empty()) {
      const basic_block block = left.pop();
      if (!bitmap_set_bit(body_, block->index)) continue;
      blocks_.safe_push(block);
      FOR_EACH_EDGE(e, i, block->preds) left.safe_push(e->src);
    }
    for (unsigned k = 0; k < blocks_.length(); ++k) {
      FOR_EACH_EDGE(e, i, blocks_[k]->preds) {
        if ((e->flags & (EDGE_COMPLEX | EDGE_FAKE)) != 0) return false;
      }
      FOR_EACH_EDGE(e, i, blocks_[k]->succs) {
        if (is_never_gone(e)) continue;
        if ((e->flags & (EDGE_COMPLEX | EDGE_FAKE)) != 0) return false;
        if (!contains(e->dest)) exits_.safe_push(e);
      }
    }
    return true;
  }

  bool is_in_each_round(basic_block block) {
    for (unsigned i = 0; i < turns_.length(); ++i) {
      if (!dominated_by_p(CDI_DOMINATORS, turns_[i]->src, block)) return false;
    }
    return true;
  }

  edge way_out(basic_block block) {
    for (unsigned i = 0; i < exits_.length(); ++i) {
      if (exits_[i]->src == block) return exits_[i];
    }
    return nullptr;
  }

  basic_block header_;
  auto_vec<edge> turns_;
  auto_vec<edge> exits_;
  auto_vec<basic_block> blocks_;

 private:
  auto_bitmap body_;
};

}  // namespace fencepost::plugin
