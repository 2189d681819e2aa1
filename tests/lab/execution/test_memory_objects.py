# SPDX-License-Identifier: MIT
"""How a counterexample calls what lies on heaps and stacks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.binary.source_location import Frame
from fencepost.execution.memory_objects import _allocated, _own
from scripted import ROOT

CPP = """\
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>
namespace app {
struct Item { int id; struct { short low, high; } range; };
template <class T> struct Cell { T value; Cell* next; };
}
struct Base { virtual ~Base() {} int b = 0; };
struct Derived : Base { int d[3] = {}; };
int main() {
  std::vector<app::Item> items(3);
  std::vector<app::Item*> pointers(2);
  auto shared = std::make_shared<app::Cell<unsigned long>>();
  auto alone = std::make_unique<app::Item>();
  auto* cell = new app::Cell<int>();
  Derived* derived = new Derived;
  std::unique_ptr<int[]> numbers(new int[5]);
  std::string text = "letters that do not find room in the string itself";
  int a = 0;
  int b = 0;
  app::Item item{};
  std::atomic<int> flag{0};
  std::thread t([&] {
    items[2].range.high = 1;
    pointers[1] = &items[0];
    shared->value = 2;
    alone->id = 1;
    cell->next = nullptr;
    derived->d[1] = 2;
    numbers[2] = 1;
    text[3] = 'x';
    b = 1;
    item.range.low = 1;
    flag.store(1, std::memory_order_relaxed);
  });
  while (flag.load(std::memory_order_relaxed) == 0) {}
  auto read = WHAT;
  t.join();
  delete derived;
  delete cell;
  return read == decltype(read){} && a == 7;
}
"""

C = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct { long a; char name[16]; atomic_int ready; } Box;
struct node { int value; struct node* next; };
struct shared { Box* box; struct node* list; void* bytes; };
static void* run(void* p) {
  struct shared* s = p;
  int mine = 0;
  s->box->name[3] = 1;
  s->list[2].next = 0;
  ((char*)s->bytes)[9] = 1;
  atomic_store_explicit(&s->box->ready, 1, memory_order_relaxed);
  return mine ? p : 0;
}
int main(void) {
  pthread_t t;
  struct shared s;
  s.box = calloc(1, sizeof *s.box);
  struct node* list = malloc(3 * sizeof(*list));
  s.list = list;
  s.bytes = malloc(20);
  Box* box = s.box;
  pthread_create(&t, 0, run, &s);
  while (!atomic_load_explicit(&box->ready, memory_order_relaxed)) {}
  long read = (long)WHAT;
  pthread_join(t, 0);
  return read == 7;
}
"""

COMPILERS = ("gcc", "clang-14")


def violation_of(directory: Path, name: str, text: str, *options: str) -> dict[str, Any]:
    source = directory / name
    source.write_text(text)
    command = [ROOT / "fencepost", "check", "--json", *options[:-1], source, "--", options[-1]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["violation"]
    return found


@pytest.mark.matrix(4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("items[2].range.high", "Item#1[2].range.high"),
        ("pointers[1]", "block#1+8"),
        ("shared->value", "Cell<unsigned long>#1.value"),
        ("alone->id", "Item#1.id"),
        ("cell->next", "Cell<int>#1.next"),
        ("derived->d[1]", "Derived#1.d[1]"),
        ("numbers[2]", "int#1[2]"),
        ("text[3]", "char#1[3]"),
        ("b", "b"),
        ("item.range.low", "item.range.low"),
    ],
)
def test_what_a_program_in_cpp_has(
    expression: str, name: str, compiler: str, tmp_path: Path
) -> None:
    found = violation_of(tmp_path, "a.cpp", CPP, "--cc", compiler, f"-DWHAT={expression}")
    assert found["kind"] == "data-race"
    assert f"({name}, other at" in found["message"]


@pytest.mark.matrix(4)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("expression", "name", "size"),
    [
        ("box->name[3]", "block#N+11", 32),  # `sizeof *s.box` names no type
        ("list[2].next", "node#N[2].next", 48),
        ("((char*)s.bytes)[9]", "block#N+9", 20),
    ],
)
def test_what_a_program_in_c_has(
    expression: str, name: str, size: int, compiler: str, tmp_path: Path
) -> None:
    found = violation_of(tmp_path, "a.c", C, "--cc", compiler, f"-DWHAT={expression}")
    (one,) = (one for one in found["objects"] if one["bytes"] == size)
    assert one["thread"] == "main"
    assert f"({name.replace('N', one['name'][-1])}, other at" in found["message"]
    assert name.startswith(one["name"][:-1])


TWICE = """\
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int* shown[3];
static void* run(void* number) {
  atomic_int mine = 0;
  shown[(long)number] = &mine;
  for (int i = 0; i < 2; ++i) {
    atomic_int inner = 0;
    atomic_int* volatile known = &inner;
    atomic_store(known, i);
  }
  atomic_fetch_add(&mine, 1);
  assert(atomic_load(&mine) == 2 || (long)number != 2);
  return 0;
}
int main(void) {
  pthread_t t;
  run(0);
  pthread_create(&t, 0, run, (void*)2);
  pthread_join(t, 0);
}
"""


def test_variables_of_one_name_are_told_apart(tmp_path: Path) -> None:
    found = violation_of(tmp_path, "twice.c", TWICE, "-DNOTHING")
    told = {one["name"]: one for one in found["objects"]}
    assert {"mine@main", "mine@T1"} <= set(told)
    assert told["mine@T1"]["thread"] == "T1" and told["mine@T1"]["location"].endswith("twice.c:6")
    assert any("mine@T1 = 1" in step["action"] for step in found["trace"])


def test_a_pointer_to_an_object_is_one_to_the_whole(tmp_path: Path) -> None:
    text = (
        CPP.replace("pointers[1] = &items[0];", "pointers[1] = alone.get();")
        .replace(
            "flag.store(1, std::memory_order_relaxed)", "held.store(alone.get()); flag.store(1)"
        )
        .replace("int main", "std::atomic<app::Item*> held;\nint main")
    )
    text = text.replace("auto read =", "auto read = held.load() == nullptr; *(volatile int*)0 =")
    found = violation_of(tmp_path, "a.cpp", text, "-DWHAT=1")
    assert any("held = &Item#1 " in step["action"] for step in found["trace"])


def test_text_says_what_the_block_is(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(C)
    command = [ROOT / "fencepost", "check", source, "--", "-DWHAT=((char*)s.bytes)[9]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line = C[: C.index("malloc(20)")].count("\n") + 1
    assert (
        f": 20 bytes that main allocated at {source}:{line}: s.bytes = malloc(20);" in done.stdout
    )


@pytest.mark.parametrize(
    ("line", "types"),
    [
        ("auto* n = new Node{1};", ["Node"]),
        ("auto* n = new (place) app::Node(1);", ["Node"]),
        ("auto* n = new Node<int, 4>[3];", ["Node<int, 4>"]),
        ("auto** n = new Node*[3];", []),
        ("auto* n = new app::Node<int>*[3];", []),
        ("Node *n = malloc(sizeof *n);", ["Node"]),
        ("struct node* const n = calloc(1, sizeof(*n));", ["node"]),
        ("p = malloc(sizeof(struct node));", ["node"]),
        ("p = malloc(sizeof(struct node*));", []),
        ("p = malloc(4 * sizeof(Node) + 8);", ["Node"]),
        ("renew(Node);", []),
    ],
)
def test_the_type_that_a_line_allocates(line: str, types: list[str], tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(line + "\n")
    found = [_own(name) for name in _allocated([Frame("f", str(source), 1)])]
    assert [name for name in found if name.lower().startswith("node")] == types


@pytest.mark.parametrize(
    ("function", "types"),
    [
        ("std::make_unique<app::Item>()", ["Item"]),
        ("std::allocator<app::Item>::allocate(unsigned long)", ["Item"]),
        ("std::allocator<app::Item*>::allocate(unsigned long)", []),
        (
            "std::__new_allocator<std::_Sp_counted_ptr_inplace<app::Cell<std::pair<int, int> >, "
            "std::allocator<void>, (__gnu_cxx::_Lock_policy)2> >::allocate(unsigned long)",
            ["Cell<std::pair<int, int> >"],
        ),
    ],
)
def test_the_type_that_a_function_of_the_library_allocates(function: str, types: list[str]) -> None:
    chain = [Frame(function, "/usr/include/c++/12/bits/allocator.h", 1)]
    found = [_own(name) for name in _allocated(chain)]
    assert [name for name in found if name != "void"] == types


@pytest.mark.parametrize("compiler", COMPILERS)
def test_thread_local_variables_have_names_with_their_threads(
    tmp_path: Path, compiler: str
) -> None:
    text = """
    #include <atomic>
    #include <cassert>
    #include <thread>
    namespace own { thread_local int mine = 5; }
    static thread_local struct { int first; std::atomic<int> second[2]; } pair;
    std::atomic<int*> shared{nullptr};
    int main() {
      pair.second[0].store(6);
      std::thread other([] {
        pair.second[1].store(7);
        shared.store(&own::mine, std::memory_order_relaxed);
        own::mine = 8;
        while (shared.load() != nullptr) {}
      });
      int* at;
      while ((at = shared.load()) == nullptr) {}
      *at = 9;
      shared.store(nullptr);
      other.join();
    }
    """
    found = violation_of(tmp_path, "of_threads.cpp", text, "--cc", compiler, "-g")
    actions = " ".join(step["action"] for step in found["trace"])
    assert "pair@main.second[0] = 6" in actions
    assert "pair@T1.second[1] = 7" in actions
    assert "shared = &own::mine@T1" in actions and "own::mine@T1" in found["message"]
    assert "memory1" not in actions
