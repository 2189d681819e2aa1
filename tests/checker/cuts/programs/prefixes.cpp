// SPDX-License-Identifier: MIT
// What main does before it makes threads, what they do then, and what it does at the end, spelled
// by the argument: parts with slashes between them, of a letter and a digit for each step. The
// first part is main's before, the last one main's after, and one that begins with M what main does
// before it makes the next thread.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Padded {
  char first;
  long second;
};

struct Counted {
  int value = 1;
};

std::atomic<int> atomics[2];
std::atomic<int*> published{nullptr};
std::mutex mutex;
int plain[4];
int* blocks[4];
Padded* padded[2];
std::vector<int> values;
std::string text;
std::exception_ptr failure;
thread_local int mine;

int& once() {
  static Counted counted;
  return counted.value;
}

void at_end() {
  if (plain[1] == 3) std::abort();
}

void gives_up() { throw std::bad_alloc(); }

void throw_and_catch(int number, int* local) {
  try {
    throw std::runtime_error(std::string(static_cast<unsigned>(20 + number), 'x'));
  } catch (const std::exception& e) {
    local[number % 4] += static_cast<int>(std::strlen(e.what()));
    failure = std::current_exception();
  }
}

void throw_again() {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    mine += static_cast<int>(std::strlen(e.what())) - 20;
  }
}

void copy_padded(int number) {
  Padded*& p = padded[number % 2];
  auto* fresh = static_cast<Padded*>(std::malloc(sizeof(Padded)));
  fresh->first = static_cast<char>(number);
  fresh->second = p != nullptr ? p->second : number;
  if (p != nullptr) {
    std::memcpy(p, fresh, sizeof *p);
    std::free(fresh);
  } else {
    p = fresh;
  }
}

void step(char what, int number, int* local) {
  int* const block = blocks[number % 4];
  switch (what) {
    case 'a':
      atomics[number % 2].fetch_add(1);
      break;
    case 's':
      atomics[number % 2].store(number, std::memory_order_release);
      break;
    case 'r':
      mine += atomics[number % 2].load(std::memory_order_acquire);
      break;
    case 'c': {
      int expected = number % 3;
      if (atomics[number % 2].compare_exchange_strong(expected, 7)) ++mine;
      break;
    }
    case 'l': {
      const std::lock_guard lock(mutex);
      plain[3] += number;
      break;
    }
    case 'k':
      if (mutex.try_lock()) {
        ++plain[3];
        mutex.unlock();
      }
      break;
    case 'p':
      ++plain[number % 4];
      break;
    case 't':
      mine += number;
      break;
    case 'm':
      assert(mine < 12);
      break;
    case 'q':
      assert(plain[number % 4] + atomics[number % 2].load() < 9);
      break;
    case 'n':
      delete[] block;
      blocks[number % 4] = new int[4];
      break;
    case 'w':
      if (block != nullptr) block[1] = number;
      break;
    case 'f':
      delete[] block;
      blocks[number % 4] = nullptr;
      break;
    case 'd':  // twice, or used later
      delete[] block;
      break;
    case 'u':
      if (block != nullptr && block[3] > number) mine += 3;
      break;
    case 'I':
      if (block != nullptr) mine = 3 * (block[3] & 1);
      break;
    case 'U':  // only if somebody has been there
      if (atomics[number % 2].load() != 0 && block != nullptr && block[3] > number) {
        atomics[0].store(8);
      }
      break;
    case 'y':
      atomics[number % 2].store(mine + local[0] + local[1] + local[2] + local[3]);
      break;
    case 'Y':
      if (atomics[number % 2].load() > 2) atomics[0].store(mine);
      break;
    case 'z':
      if (block != nullptr) published.store(block);
      break;
    case 'g':
      if (int* const found = published.load()) local[0] += found[1];
      break;
    case 'h':
      copy_padded(number);
      break;
    case 'v':
      values.push_back(number);
      break;
    case 'x':
      text += static_cast<char>('0' + number);
      break;
    case 'i':
      local[number % 4] += static_cast<int>(text.size() + values.size());
      break;
    case 'e':
      throw_and_catch(number, local);
      break;
    case 'E':
      throw_again();
      break;
    case 'o':
      once() += number;
      break;
    case 'j':
      std::atexit(at_end);
      break;
    case 'T':
      std::set_new_handler(number != 0 ? gives_up : nullptr);
      break;
    case 'Q':
      atomics[number % 2].store(std::get_new_handler() != nullptr ? 3 : 4);
      break;
    case 'b':
      while (atomics[number % 2].load(std::memory_order_relaxed) == 0) {
      }
      break;
    default:
      break;
  }
}

void steps(const char* from, int* local) {
  for (; *from != '\0' && *from != '/'; from += 2) step(from[0], from[1] - '0', local);
}

}  // namespace

int main(int, char** arguments) {
  const char* parts[8];
  int count = 0;
  for (const char* p = arguments[1]; p != nullptr && count < 8; ++count) {
    parts[count] = p;
    p = std::strchr(p, '/');
    if (p != nullptr) ++p;
  }
  int local[4] = {};
  steps(parts[0], local);
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i + 1 < count; ++i) {
      if (*parts[i] == 'M') {
        steps(parts[i] + 2, local);
        continue;
      }
      threads.emplace_back([part = parts[i], &local] {
        if (*part == 'L') {  // with main's variables
          steps(part + 2, local);
        } else {
          int own[4] = {};
          steps(part, own);
        }
      });
    }
  }
  steps(parts[count - 1], local);
  return 0;
}
