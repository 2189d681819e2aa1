// SPDX-License-Identifier: MIT
// How large is the search? Estimated by visiting a part of it that is drawn at random.
//
// Each run ends one execution, and on its way puts alternatives aside, each the root of a subtree
// of its own; so the search is a tree of alternatives, and what is wanted is how many of them end
// completely. It is visited level by level (Chen, "Heuristic sampling: a method for predicting the
// performance of tree searching programs", SIAM Journal on Computing 21, 1992). The alternatives of
// a level are sorted into strata of what is likely to be equally large: those that leave as many
// events standing. Of each stratum a few are visited, drawn in proportion to their weights, and
// carry the weight of all. Whatever the strata, the expected value is right; the better they are,
// the less it varies. A descent that follows one branch alone (Knuth 1975) sees little of trees
// whose leaves lie in few branches, or in which few leaves are complete.
#pragma once

#include <cstdint>

#include "explore/explorer.hpp"

namespace fencepost::checker {

class Estimator {
 public:
  constexpr explicit Estimator(Explorer& explorer) : explorer_(explorer) {}

  // Explorers that share a search draw differently.
  void seed(std::uint64_t number) { random_ ^= number * 0xD1B54A32D192ED03; }

  // Puts the next graph to be run on top of the search, which waits and goes on afterwards as if
  // nothing had been. False: nothing consistent lies that way, and nothing is to be run.
  bool begin();
  // After the run, or after begin has said false. True: the whole tree has been visited, and
  // estimate() says how many executions it has.
  bool end(bool complete);
  double estimate() const { return estimate_; }
  // Forgets a tree that has been visited in part.
  void clear();

 private:
  struct Node {
    Explorer::Branch* branch;  // with one alternative; with none: the root
    double weight;
    std::uint32_t stratum;
  };
  // An alternative that may take a node's place once all are known.
  struct Drawn {
    std::uint32_t item;
    bool taken;
  };

  double chance();
  std::uint32_t stratum_of(const Explorer::Item& item);
  void draw(std::uint32_t stratum, double weight, std::uint32_t item);
  void keep_drawn();

  Explorer& explorer_;
  Array<Node> level_;
  Array<Node> next_level_;
  Array<Drawn> drawn_;  // for each node of the next level
  std::uint32_t at_ = 0;
  Node node_{};
  std::uint32_t width_ = 1;  // of a stratum
  double sum_ = 0;
  double estimate_ = 0;
  std::uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace fencepost::checker
