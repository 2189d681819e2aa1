// SPDX-License-Identifier: MIT
// Where objects lie, to tell whether two places of a function are the same.
#pragma once

#include "gcc_headers.hpp"

namespace fencepost::plugin {

// Where an object lies: a sum of what the function computes it from.
class Address {
 public:
  static Address of(tree object) {
    Address address;
    poly_widest_int size;
    get_inner_reference_aff(object, &address.sum_, &size);
    address.expand();
    return address;
  }
  static Address in(tree pointer) {
    Address address;
    tree_to_aff_combination(pointer, TREE_TYPE(pointer), &address.sum_);
    address.expand();
    return address;
  }

  bool is(Address other) const {
    aff_combination_scale(&other.sum_, -1);
    aff_combination_add(&other.sum_, const_cast<aff_tree*>(&sum_));
    return aff_combination_zero_p(&other.sum_);
  }
  // Does `made` say so of none of the names that it is computed from?
  template <typename Made>
  bool is_free_of(Made made) const {
    if (sum_.rest != NULL_TREE) return false;
    for (unsigned i = 0; i < sum_.n; ++i) {
      tree part = sum_.elts[i].val;
      while (CONVERT_EXPR_P(part)) part = TREE_OPERAND(part, 0);
      const bool is_of_variable = TREE_CODE(part) == ADDR_EXPR && DECL_P(TREE_OPERAND(part, 0));
      if (TREE_CODE(part) == SSA_NAME ? made(part) : !is_of_variable) return false;
    }
    return true;
  }

 private:
  void expand() {
    aff_combination_convert(&sum_, sizetype);
    hash_map<tree, name_expansion*>* names = nullptr;
    aff_combination_expand(&sum_, &names);
    free_affine_expand_cache(&names);
  }

  aff_tree sum_;
};

}  // namespace fencepost::plugin
