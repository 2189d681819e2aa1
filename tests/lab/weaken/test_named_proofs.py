# SPDX-License-Identifier: MIT
"""Which proofs comments name, and for what; which orders are written in a file."""

from __future__ import annotations

from pathlib import Path

from fencepost.binary.fence_calls import ASYMMETRIC
from fencepost.explore.annotated import Case
from fencepost.weaken.named_proofs import Comments, Proofs
from fencepost.weaken.written_orders import files_below, orders_written

COMMENTED = """\
// The whole class. Proof: of_the_class.
class box {
 public:
  // release: pairs with the load. Proofs: first, second[some-thing] and lock/third.
  void put() { x.store(1, std::memory_order_release); }

  // No name here.
  bool take() {
    // Proof: none; nobody can tell.
    if (x.load(std::memory_order_acquire)) return true;
    return y.exchange(true,  // acquire: long. Proof: at_the_end.
                      std::memory_order_acquire);
  }

  // Proof: both_branches.
  void choose() {
    // Proof: of_the_choice.
    if constexpr (one) {
      a();
    } else {
      b();
    }
  }
};
int free_function();
"""


def test_names_come_from_the_statement_or_from_what_is_around_it() -> None:
    comments = Comments(COMMENTED)
    assert {line: comments.names_at(line) for line in (5, 8, 10, 11, 12, 19, 21, 25, 99)} == {
        5: ("first", "second[some-thing]", "lock/third"),
        8: ("of_the_class",),
        10: ("none",),
        11: ("at_the_end",),
        12: ("at_the_end",),
        19: ("of_the_choice",),
        21: ("of_the_choice",),
        25: (),
        99: (),
    }


def test_a_name_is_looked_for_near_the_header_first() -> None:
    one, two = Path("proofs/mutex/holds.cpp"), Path("proofs/event/holds.cpp")
    known = [Case(one), Case(two, "first"), Case(two, "second")]
    proofs = Proofs(known)
    assert proofs.called("holds", Path("include/mutex.hpp")) == known[:1]
    assert proofs.called("holds", Path("include/event/words.hpp")) == known[1:]
    assert proofs.called("holds[second]", Path("include/event.hpp")) == known[2:]
    assert proofs.called("event.holds[first]", Path("include/mutex.hpp")) == known[1:2]
    assert proofs.called("event/holds", Path("include/ring.hpp")) == known[1:]
    assert proofs.called("holds", Path("include/ring.hpp")) == known
    assert proofs.called("olds", Path("include/ring.hpp")) == []
    assert proofs.called("holds[third]", Path("include/event.hpp")) == []


WRITTEN = """\
void put(std::memory_order order = std::memory_order_release) {
  if (order == std::memory_order_seq_cst) return;
  x.store(1, std::memory_order_relaxed);
  x.compare_exchange_weak(
      seen, 1,
      std::memory_order_release, std::memory_order_acquire);  // memory_order_seq_cst
  fencepost::asymmetric_thread_fence_light();
  if (room.is_shut(memory_order::acquire)) return asymmetric_thread_fence_heavy();
}
void asymmetric_thread_fence_heavy(std::memory_order order = std::memory_order_seq_cst);
"""


def test_orders_that_are_written_are_found_with_their_calls(tmp_path: Path) -> None:
    for name in ("a.hpp", "b.txt"):
        (tmp_path / name).write_text(WRITTEN)
    (file,) = files_below([str(tmp_path)])
    found = [(one.line, one.lines, one.what) for one in orders_written(file, ASYMMETRIC)]
    assert found == [
        (6, range(4, 7), "release"),
        (6, range(4, 7), "acquire"),
        (8, range(8, 9), "acquire"),
        (7, range(7, 8), "call of asymmetric_thread_fence_light"),
        (8, range(8, 9), "call of asymmetric_thread_fence_heavy"),
    ]
