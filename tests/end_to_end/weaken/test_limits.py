# SPDX-License-Identifier: MIT
"""What `fencepost weaken` says where it cannot help or know all, and whose orders it varies."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer import ROOT, Weaken, fencepost

pytestmark = pytest.mark.matrix(3)

CONCURRENT_QUEUE = Path("/usr/include/concurrentqueue/concurrentqueue.h")

DEADLOCK = """\
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
}
"""

#: Two loads and stores, not one addition: no order helps.
LOST_UPDATE = """\
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x;
int main() {
  std::thread other([] { x = x + 1; });
  x = x + 1;
  other.join();
  assert(x == 2);
}
"""


def test_without_orders_none_is_blamed(weaken: Weaken) -> None:
    status, result = weaken({"stuck.c": DEADLOCK}, "--strengthen")
    assert (status, result["verdict"]) == (1, "irreparable")
    assert "no order here that could be varied" in result["reason"]


def test_where_everything_is_seq_cst_already_this_is_said(weaken: Weaken) -> None:
    status, result = weaken({"lost.cpp": LOST_UPDATE}, "--strengthen")
    assert (status, result["verdict"]) == (1, "irreparable")
    assert "seq_cst already" in result["reason"]


@pytest.mark.skipif(not CONCURRENT_QUEUE.exists(), reason="needs libconcurrentqueue-dev")
def test_the_orders_of_an_installed_header_are_its_own(weaken: Weaken) -> None:
    program = ROOT / "tests/checker/programs/shipped/moodycamel/concurrent_queue.cpp"
    options = ("--strengthen", "--no-costs", "--", "-DTWO_CONSUMERS", "-DBLOCK=2")
    status, result = weaken({"queue.cpp": program.read_text()}, *options, costs=True)
    assert (status, result["verdict"]) == (0, "repaired")
    ((change,),) = (solution["changes"] for solution in result["solutions"])
    assert change["file"] == str(CONCURRENT_QUEUE)
    assert [change[what] for what in ("operation", "from", "to")] == [
        *("fetch_add", "release", "acq_rel")
    ]
    assert "elementsCompletelyDequeued.fetch_add" in change["source"]


STRONGER_ORDER = "examples/checker/cpp14_stronger_order.cpp"


def test_under_cpp14_what_is_found_holds_but_is_not_said_to_be_all() -> None:
    options = ("--model", "c++14", "--all", "--no-costs", "--only", "examples", "--timeout", "60")
    done = fencepost("weaken", *options, STRONGER_ORDER)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "orders can be weaker under c++14" in done.stdout
    assert "there may be more: under c++14" in done.stdout


def test_under_cpp14_seq_cst_everywhere_does_not_rule_out_the_rest(weaken: Weaken) -> None:
    lost = LOST_UPDATE.replace("x = x + 1;", "x.store(x + 1, std::memory_order_relaxed);")
    status, result = weaken({"lost.cpp": lost}, "--strengthen", "--model", "c++14")
    assert (status, result["verdict"]) == (2, "inconclusive")
    assert "under c++14 weaker orders may hold all the same" in result["reason"]
