// SPDX-License-Identifier: MIT
#include "explore/estimator.hpp"

namespace fencepost::checker {
namespace {

constexpr std::uint32_t kVisitedOfAStratum = 4;

// Of each alternative of a level a graph is kept, and there are as many strata as events, and more.
// So where graphs are large, strata are wide: graphs of at most so many events in all, of each of
// two kinds of steps.
constexpr std::uint32_t kMostEventsOfALevel = 100'000;

// How many stamps, or numbers of events that stay, make one stratum.
std::uint32_t width_of_strata(std::uint32_t events) {
  const std::uint32_t strata = kMostEventsOfALevel / (events + 1) / (2 * kVisitedOfAStratum);
  return strata == 0 ? events + 1 : events / strata + 1;
}

}  // namespace

double Estimator::chance() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<double>(random_ >> 11) * 0x1p-53;
}

void Estimator::clear() {
  for (; at_ < level_.size(); ++at_) explorer_.give_branch(level_[at_].branch);
  for (const Node& n : next_level_) explorer_.give_branch(n.branch);
  level_.clear();
  next_level_.clear();
  drawn_.clear();
}

bool Estimator::begin() {
  if (level_.empty()) {  // the root
    level_.push_back({explorer_.take_branch(), 1, 0});
    at_ = 0;
    sum_ = 0;
  }
  node_ = level_[at_++];
  explorer_.go_into(node_.branch);
  Array<Explorer::Item>& items = node_.branch->items;
  if (items.empty()) return true;
  const Explorer::Item item = items.back();
  items.pop_back();
  return explorer_.apply(item) && explorer_.in_order_with_twins(item);
}

bool Estimator::end(bool complete) {
  if (complete) sum_ += node_.weight;
  const Array<Explorer::Item>& items = node_.branch->items;
  for (Drawn& d : drawn_) d.taken = false;
  width_ = width_of_strata(node_.branch->graph->event_count());
  for (std::uint32_t k = 0; k < items.size(); ++k) draw(stratum_of(items[k]), node_.weight, k);
  keep_drawn();
  explorer_.give_branch(node_.branch);
  explorer_.leave_last();
  if (at_ < level_.size()) return false;
  level_.assign(next_level_.data(), next_level_.size());
  next_level_.clear();
  drawn_.clear();
  at_ = 0;
  estimate_ = sum_;
  return level_.empty();
}

// How many events stay when the alternative is taken, and whether it changes what was read or what
// is to come.
std::uint32_t Estimator::stratum_of(const Explorer::Item& item) {
  const Graph& g = *node_.branch->graph;
  if (item.step != Explorer::Step::revisit) {
    return item.stamp / width_ * 8 + static_cast<std::uint32_t>(item.step);
  }
  Graph::Clock past = g.porf(item.event);  // for pieces of several writes more may stay
  const std::uint32_t stamp = g.at(EventId{item.argument}).stamp;
  std::uint32_t kept = 0;
  for (unsigned t = 0; t < g.threads(); ++t) {
    std::uint32_t n = g.size(t);
    while (n > past[t] && g.at(t, n - 1).stamp > stamp) --n;
    kept += n;
  }
  return kept / width_ * 8 + static_cast<std::uint32_t>(item.step);
}

// Each node of a stratum stands for an equal share of its weight, so those who come first have
// places of their own, and who comes later takes one by chance.
void Estimator::draw(std::uint32_t stratum, double weight, std::uint32_t item) {
  std::uint32_t places = 0;
  std::uint32_t place = 0;
  for (std::uint32_t k = 0; k < next_level_.size(); ++k) {
    if (next_level_[k].stratum != stratum) continue;
    ++places;
    if (chance() * places < 1) place = k;
  }
  if (places < kVisitedOfAStratum) {
    next_level_.push_back({nullptr, weight, stratum});
    drawn_.push_back({item, true});
    return;
  }
  Node& n = next_level_[place];
  n.weight += weight;
  if (chance() * n.weight < weight) drawn_[place] = {item, true};
}

void Estimator::keep_drawn() {
  Explorer::Branch* from = node_.branch;
  for (std::uint32_t k = 0; k < next_level_.size(); ++k) {
    if (!drawn_[k].taken) continue;
    Node& n = next_level_[k];
    if (n.branch == nullptr) n.branch = explorer_.take_branch();
    const Explorer::Item& item = from->items[drawn_[k].item];
    n.branch->graph->copy_until(*from->graph, item.stamp);
    n.branch->items.clear();
    n.branch->items.push_back(item);
  }
}

}  // namespace fencepost::checker
