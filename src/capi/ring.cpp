// SPDX-License-Identifier: MIT
#include "enrolment.hpp"
// Behind the one above, or it would enrol by itself.
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

#include "deadline.hpp"
#include "element.hpp"
#include "exports.hpp"
#include "object.hpp"
#include "ring.hpp"

namespace {

using fencepost::element_at;
using fencepost::ring_memory;
using fencepost::ring_status;
using fencepost::futex::scope;

template <scope Scope>
using spsc = fencepost::spsc_ring_of_bytes<Scope>;
template <scope Scope>
using mpmc = fencepost::mpmc_ring_of_bytes<Scope>;

/// The number of cells for `capacity` elements; 0: there cannot be so many.
std::size_t cells_for(std::size_t capacity) noexcept {
  if (capacity == 0 || capacity > fencepost::detail::most_cells) return 0;
  return std::bit_ceil(capacity);
}

/// The bytes of memory for as many elements of this size; 0: there cannot be so many.
template <class Cells>
std::size_t bytes_for(std::size_t element_size, std::size_t capacity) noexcept {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
  if (element_size == 0 || element_size > most / 2) return 0;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(Cells::stride(element_size), cells_for(capacity), &bytes)) return 0;
  return bytes > most ? 0 : bytes;
}

/// As std::malloc(), which says by errno, too, that there is no memory.
void* allocate(std::size_t bytes) noexcept {
  const int before = errno;
  void* const memory = std::malloc(bytes);
  errno = before;
  return memory;
}

template <template <scope> class Ring, class Struct>
int init(Struct* ring, std::size_t element_size, std::size_t capacity, void* memory,
         std::size_t memory_size, unsigned flags) noexcept {
  using process_ring = Ring<scope::process>;
  using shared_ring = Ring<scope::shared>;
  using cells = typename process_ring::cells;
  const bool between_processes = (flags & FENCEPOST_INTERPROCESS) != 0;
  const std::size_t bytes = bytes_for<cells>(element_size, capacity);
  if (bytes == 0 || !fencepost::known(flags, FENCEPOST_INTERPROCESS)) return EINVAL;
  if (memory != nullptr) {
    if (memory_size < bytes) return EINVAL;
    if (reinterpret_cast<std::uintptr_t>(memory) % alignof(std::max_align_t) != 0) return EINVAL;
  } else if (between_processes) {
    return EINVAL;
  }
  void* const allocated = memory == nullptr ? allocate(bytes) : nullptr;
  void* const first = memory == nullptr ? allocated : memory;
  if (first == nullptr) return ENOMEM;

  const ring_memory all{element_size,
                        process_ring::capacity_for(capacity),
                        cells_for(capacity),
                        cells::stride(element_size),
                        static_cast<std::byte*>(first) - reinterpret_cast<std::byte*>(ring),
                        allocated,
                        flags};
  if (between_processes) {
    fencepost::enrol();
    new (ring) shared_ring(all);
  } else {
    new (ring) process_ring(all);
  }
  return 0;
}

/// Calls `use` with the ring that the flags name.
template <template <scope> class Ring, class Struct, class Use>
auto with(Struct* ring, Use use) noexcept {
  using fencepost::object;
  // Both have their flags in the same place.
  auto& in_process = object<Ring<scope::process>, sizeof(Struct)>(ring);
  if ((in_process.memory().flags & FENCEPOST_INTERPROCESS) != 0) [[unlikely]] {
    return use(object<Ring<scope::shared>, sizeof(Struct)>(ring));
  }
  return use(in_process);
}
template <template <scope> class Ring, class Struct, class Use>
auto with(const Struct* ring, Use use) noexcept {
  return with<Ring>(const_cast<Struct*>(ring), use);
}

template <template <scope> class Ring, class Struct>
int destroy(Struct* ring) noexcept {
  return with<Ring>(ring, [](auto& r) noexcept {
    if (r.waited_for()) return EBUSY;
    void* const allocated = r.memory().allocated;
    std::destroy_at(&r);
    std::free(allocated);
    return 0;
  });
}

int in_c(ring_status status) noexcept {
  if (status) [[likely]]
    return 0;
  switch (ring_status::reason{status}) {
    case ring_status::success:
      return 0;
    case ring_status::full:
    case ring_status::empty:
      return EAGAIN;
    case ring_status::closed:
      return EPIPE;
    case ring_status::timed_out:
      break;
  }
  return ETIMEDOUT;
}

template <template <scope> class Ring, class Struct>
int push(Struct* ring, const void* element, const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  return with<Ring>(ring, [&](auto& r) noexcept {
    return in_c(deadline.for_ever ? r.emplace(element) : r.emplace_until(deadline.at, element));
  });
}

template <template <scope> class Ring, class Struct>
int pop(Struct* ring, void* element, const fencepost::moment& deadline) noexcept {
  if (deadline.error != 0) return deadline.error;
  return with<Ring>(ring, [&](auto& r) noexcept {
    element_at into(element, r.memory().element_size);
    return in_c(deadline.for_ever ? r.pop(into) : r.pop_until(into, deadline.at));
  });
}

}  // namespace

size_t fencepost_spsc_ring_memory(size_t element_size, size_t capacity) noexcept {
  return bytes_for<spsc<scope::process>::cells>(element_size, capacity);
}

int fencepost_spsc_ring_init(fencepost_spsc_ring* ring, size_t element_size, size_t capacity,
                             void* memory, size_t memory_size, unsigned flags) noexcept {
  return init<spsc>(ring, element_size, capacity, memory, memory_size, flags);
}

int fencepost_spsc_ring_destroy(fencepost_spsc_ring* ring) noexcept { return destroy<spsc>(ring); }

int fencepost_spsc_ring_push(fencepost_spsc_ring* ring, const void* element) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept { return in_c(r.emplace(element)); });
}

int fencepost_spsc_ring_try_push(fencepost_spsc_ring* ring, const void* element) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept { return in_c(r.try_emplace(element)); });
}

int fencepost_spsc_ring_push_until(fencepost_spsc_ring* ring, const void* element,
                                   const timespec* deadline) noexcept {
  return push<spsc>(ring, element, fencepost::until(deadline));
}

int fencepost_spsc_ring_push_for(fencepost_spsc_ring* ring, const void* element,
                                 const timespec* timeout) noexcept {
  return push<spsc>(ring, element, fencepost::after(timeout));
}

int fencepost_spsc_ring_pop(fencepost_spsc_ring* ring, void* element) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept {
    element_at into(element, r.memory().element_size);
    return in_c(r.pop(into));
  });
}

int fencepost_spsc_ring_try_pop(fencepost_spsc_ring* ring, void* element) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept {
    element_at into(element, r.memory().element_size);
    return in_c(r.try_pop(into));
  });
}

int fencepost_spsc_ring_pop_until(fencepost_spsc_ring* ring, void* element,
                                  const timespec* deadline) noexcept {
  return pop<spsc>(ring, element, fencepost::until(deadline));
}

int fencepost_spsc_ring_pop_for(fencepost_spsc_ring* ring, void* element,
                                const timespec* timeout) noexcept {
  return pop<spsc>(ring, element, fencepost::after(timeout));
}

size_t fencepost_spsc_ring_try_push_n(fencepost_spsc_ring* ring, const void* elements,
                                      size_t count) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept { return r.try_push_n(elements, count); });
}

size_t fencepost_spsc_ring_try_pop_n(fencepost_spsc_ring* ring, void* elements,
                                     size_t count) noexcept {
  return with<spsc>(ring, [=](auto& r) noexcept { return r.try_pop_n(elements, count); });
}

void fencepost_spsc_ring_close(fencepost_spsc_ring* ring) noexcept {
  with<spsc>(ring, [](auto& r) noexcept { r.close(); });
}

bool fencepost_spsc_ring_closed(const fencepost_spsc_ring* ring) noexcept {
  return with<spsc>(ring, [](auto& r) noexcept { return r.closed(); });
}

size_t fencepost_spsc_ring_capacity(const fencepost_spsc_ring* ring) noexcept {
  return with<spsc>(ring, [](auto& r) noexcept { return r.capacity(); });
}

size_t fencepost_spsc_ring_size(const fencepost_spsc_ring* ring) noexcept {
  return with<spsc>(ring, [](auto& r) noexcept { return r.size(); });
}

size_t fencepost_mpmc_ring_memory(size_t element_size, size_t capacity) noexcept {
  return bytes_for<mpmc<scope::process>::cells>(element_size, capacity);
}

int fencepost_mpmc_ring_init(fencepost_mpmc_ring* ring, size_t element_size, size_t capacity,
                             void* memory, size_t memory_size, unsigned flags) noexcept {
  return init<mpmc>(ring, element_size, capacity, memory, memory_size, flags);
}

int fencepost_mpmc_ring_destroy(fencepost_mpmc_ring* ring) noexcept { return destroy<mpmc>(ring); }

int fencepost_mpmc_ring_push(fencepost_mpmc_ring* ring, const void* element) noexcept {
  return with<mpmc>(ring, [=](auto& r) noexcept { return in_c(r.emplace(element)); });
}

int fencepost_mpmc_ring_try_push(fencepost_mpmc_ring* ring, const void* element) noexcept {
  return with<mpmc>(ring, [=](auto& r) noexcept { return in_c(r.try_emplace(element)); });
}

int fencepost_mpmc_ring_push_until(fencepost_mpmc_ring* ring, const void* element,
                                   const timespec* deadline) noexcept {
  return push<mpmc>(ring, element, fencepost::until(deadline));
}

int fencepost_mpmc_ring_push_for(fencepost_mpmc_ring* ring, const void* element,
                                 const timespec* timeout) noexcept {
  return push<mpmc>(ring, element, fencepost::after(timeout));
}

int fencepost_mpmc_ring_pop(fencepost_mpmc_ring* ring, void* element) noexcept {
  return with<mpmc>(ring, [=](auto& r) noexcept {
    element_at into(element, r.memory().element_size);
    return in_c(r.pop(into));
  });
}

int fencepost_mpmc_ring_try_pop(fencepost_mpmc_ring* ring, void* element) noexcept {
  return with<mpmc>(ring, [=](auto& r) noexcept {
    element_at into(element, r.memory().element_size);
    return in_c(r.try_pop(into));
  });
}

int fencepost_mpmc_ring_pop_until(fencepost_mpmc_ring* ring, void* element,
                                  const timespec* deadline) noexcept {
  return pop<mpmc>(ring, element, fencepost::until(deadline));
}

int fencepost_mpmc_ring_pop_for(fencepost_mpmc_ring* ring, void* element,
                                const timespec* timeout) noexcept {
  return pop<mpmc>(ring, element, fencepost::after(timeout));
}

void fencepost_mpmc_ring_close(fencepost_mpmc_ring* ring) noexcept {
  with<mpmc>(ring, [](auto& r) noexcept { r.close(); });
}

bool fencepost_mpmc_ring_closed(const fencepost_mpmc_ring* ring) noexcept {
  return with<mpmc>(ring, [](auto& r) noexcept { return r.closed(); });
}

size_t fencepost_mpmc_ring_capacity(const fencepost_mpmc_ring* ring) noexcept {
  return with<mpmc>(ring, [](auto& r) noexcept { return r.capacity(); });
}

size_t fencepost_mpmc_ring_size(const fencepost_mpmc_ring* ring) noexcept {
  return with<mpmc>(ring, [](auto& r) noexcept { return r.size(); });
}
