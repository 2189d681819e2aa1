// SPDX-License-Identifier: MIT
//
// What does it cost to be able to wait for a ring, while nobody has to?
//
// Rings of 1024 numbers of 64 bits, single producer, single consumer. fill_and_drain: one thread
// pushes 512 and pops them again: never full, never empty, nobody waits, nothing is shared; the
// pure path. two_processors: producer and consumer on a processor each, as fast as they can; where
// one outruns the other, the try forms spin with a processor pause, the blocking forms do what they
// do.
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "fencepost/detail/pause.hpp"
#include "fencepost/ring.hpp"
#include "subject.hpp"

#ifdef BENCH_BOOST
#include <boost/lockfree/spsc_queue.hpp>
#endif
#ifdef BENCH_READERWRITERQUEUE
#include <readerwriterqueue/readerwriterqueue.h>
#endif
#ifdef BENCH_ATOMIC_QUEUE
#include <atomic_queue/atomic_queue.h>
#endif
#ifdef BENCH_CONCURRENCY_KIT
#include "peers/concurrency_kit.h"
#endif
#ifdef BENCH_RUST
#include "peers/rust.h"
#endif

namespace {

constexpr std::size_t capacity = 1024;
constexpr std::uint64_t fill = 512;

/// The loops for rings of C++: Ends has push(item) and pop(), which return when it is done.
template <class Ends>
class loops {
 public:
  [[gnu::noinline]] std::uint64_t fill_and_drain(std::uint64_t rounds) {
    std::uint64_t sum = 0;
    for (std::uint64_t round = 0; round != rounds; ++round) {
      for (std::uint64_t item = 0; item != fill; ++item) ends_.push(item);
      for (std::uint64_t item = 0; item != fill; ++item) sum += opaque(ends_.pop());
    }
    return sum;
  }
  [[gnu::noinline]] void produce(std::uint64_t items) {
    for (std::uint64_t item = 0; item != items; ++item) ends_.push(item);
  }
  [[gnu::noinline]] std::uint64_t consume(std::uint64_t items) {
    std::uint64_t sum = 0;
    for (std::uint64_t item = 0; item != items; ++item) sum += opaque(ends_.pop());
    return sum;
  }

 private:
  static std::uint64_t opaque(std::uint64_t item) {
    asm volatile("" : "+r"(item));
    return item;
  }
  Ends ends_;
};

using blocking_ring = fencepost::spsc_ring<std::uint64_t>;
using nonblocking_ring =
    fencepost::spsc_ring<std::uint64_t, fencepost::ring_tuning{.blocking = false}>;

struct blocking_ends {
  blocking_ring ring{capacity};
  void push(std::uint64_t item) { static_cast<void>(ring.push(item)); }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    static_cast<void>(ring.pop(item));
    return item;
  }
};

template <class Ring>
struct trying_ends {
  Ring ring{capacity};
  void push(std::uint64_t item) {
    while (!ring.try_push(item)) [[unlikely]] fencepost::detail::pause();
  }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    while (!ring.try_pop(item)) [[unlikely]] fencepost::detail::pause();
    return item;
  }
};

#ifdef BENCH_BOOST
struct boost_ends {
  boost::lockfree::spsc_queue<std::uint64_t> ring{capacity};
  void push(std::uint64_t item) {
    while (!ring.push(item)) [[unlikely]] fencepost::detail::pause();
  }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    while (!ring.pop(item)) [[unlikely]] fencepost::detail::pause();
    return item;
  }
};
#endif

#ifdef BENCH_READERWRITERQUEUE
struct readerwriterqueue_ends {
  moodycamel::ReaderWriterQueue<std::uint64_t> ring{capacity};
  void push(std::uint64_t item) {
    while (!ring.try_enqueue(item)) [[unlikely]] fencepost::detail::pause();
  }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    while (!ring.try_dequeue(item)) [[unlikely]] fencepost::detail::pause();
    return item;
  }
};
#endif

#ifdef BENCH_ATOMIC_QUEUE
struct atomic_queue_ends {
  atomic_queue::AtomicQueue2<std::uint64_t, capacity, true, true, false, true> ring;
  void push(std::uint64_t item) {
    while (!ring.try_push(item)) [[unlikely]] fencepost::detail::pause();
  }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    while (!ring.try_pop(item)) [[unlikely]] fencepost::detail::pause();
    return item;
  }
};
#endif

#if defined(BENCH_CONCURRENCY_KIT) || defined(BENCH_RUST)
/// A ring whose loops are compiled in another language: the functions that belong to it.
template <class Ends, class Size, Ends* New(Size), void Delete(Ends*),
          std::uint64_t FillAndDrain(Ends*, std::uint64_t, std::uint64_t),
          void Produce(Ends*, std::uint64_t), std::uint64_t Consume(Ends*, std::uint64_t)>
class foreign_loops {
 public:
  std::uint64_t fill_and_drain(std::uint64_t rounds) {
    return FillAndDrain(ends_.get(), rounds, fill);
  }
  void produce(std::uint64_t items) { Produce(ends_.get(), items); }
  std::uint64_t consume(std::uint64_t items) { return Consume(ends_.get(), items); }

 private:
  struct deleter {
    void operator()(Ends* ends) const { Delete(ends); }
  };
  std::unique_ptr<Ends, deleter> ends_{New(capacity)};
};
#endif

using clock_type = std::chrono::steady_clock;

/// Two threads, on a processor each, that start together: producer(), and consumer() -> sum.
/// Seconds until both are done; negative where the sum is not `expected`.
template <class Producer, class Consumer>
double race(std::uint64_t expected, Producer producer, Consumer consumer) {
  std::atomic<int> ready{0};
  std::uint64_t sum = 0;
  const auto meet = [&ready] {
    ready.fetch_add(1);
    while (ready.load() != 2) fencepost::detail::pause();
  };
  std::thread consuming([&] {
    bench::pin(1);
    meet();
    sum = consumer();
  });
  double elapsed = 0;
  std::thread producing([&] {
    bench::pin(0);
    meet();
    const auto start = clock_type::now();
    producer();
    consuming.join();
    elapsed = std::chrono::duration<double>(clock_type::now() - start).count();
  });
  producing.join();
  return sum == expected ? elapsed : -1;
}

constexpr std::uint64_t sum_below(std::uint64_t items) { return items * (items - 1) / 2; }

template <class Contestant>
double full_speed(Contestant& ring, std::uint64_t items) {
  return race(
      sum_below(items), [&] { ring.produce(items); }, [&] { return ring.consume(items); });
}

template <class Contestant>
double bursts(Contestant& ring, std::uint64_t items) {
  const std::uint64_t turns = items / fill;
  // Even: the producer's turn.
  alignas(128) std::atomic<std::uint64_t> turn{0};
  const auto wait_for = [&turn](std::uint64_t mine) {
    while (turn.load(std::memory_order_acquire) != mine) fencepost::detail::pause();
  };
  return race(
      turns * sum_below(fill),
      [&] {
        for (std::uint64_t n = 0; n != turns; ++n) {
          wait_for(2 * n);
          ring.produce(fill);
          turn.store(2 * n + 1, std::memory_order_release);
        }
      },
      [&] {
        std::uint64_t sum = 0;
        for (std::uint64_t n = 0; n != turns; ++n) {
          wait_for(2 * n + 1);
          sum += ring.consume(fill);
          turn.store(2 * n + 2, std::memory_order_release);
        }
        return sum;
      });
}

/// Many runs of about 4 ms each; the figure is of all of them together.
template <class Contestant, double Run(Contestant&, std::uint64_t)>
double many_runs(benchmark::State& state) {
  const auto ring = std::make_unique<Contestant>();
  std::uint64_t items = 64 * fill;
  double elapsed = Run(*ring, items);
  while (elapsed > 0 && elapsed < 0.002 && items < 1 << 24) {
    items *= 2;
    elapsed = Run(*ring, items);
  }
  double all_items = 0;
  double all_seconds = 0;
  do {
    elapsed = Run(*ring, items);
    if (elapsed < 0) {
      state.SkipWithError("elements lost");
      return 1;
    }
    all_items += static_cast<double>(items);
    all_seconds += elapsed;
  } while (all_seconds < bench::window_length().count());
  state.counters["items_per_second"] = all_items / all_seconds;
  return all_seconds;
}

template <class Contestant>
void contend(const std::string& name) {
  bench::register_loop("fill_and_drain/" + name, [](benchmark::State& state) {
    const auto ring = std::make_unique<Contestant>();
    std::uint64_t items = 0;
    for ([[maybe_unused]] auto _ : state) {
      benchmark::DoNotOptimize(ring->fill_and_drain(16));
      items += 16 * fill;
    }
    state.counters["items_per_second"] =
        benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsRate);
  });
  bench::register_window("bursts/" + name, many_runs<Contestant, bursts<Contestant>>);
  bench::register_window("full_speed/" + name, many_runs<Contestant, full_speed<Contestant>>);
}

}  // namespace

void bench::register_benchmarks() {
  contend<loops<blocking_ends>>("fencepost_spsc_ring");
  contend<loops<trying_ends<blocking_ring>>>("fencepost_spsc_ring_try_forms");
  contend<loops<trying_ends<nonblocking_ring>>>("fencepost_spsc_ring_without_blocking");
#ifdef BENCH_BOOST
  contend<loops<boost_ends>>("boost_spsc_queue");
#endif
#ifdef BENCH_READERWRITERQUEUE
  contend<loops<readerwriterqueue_ends>>("readerwriterqueue");
#endif
#ifdef BENCH_ATOMIC_QUEUE
  contend<loops<atomic_queue_ends>>("atomic_queue_spsc");
#endif
#ifdef BENCH_CONCURRENCY_KIT
  contend<foreign_loops<ck_ring_spsc, unsigned, ck_ring_spsc_new, ck_ring_spsc_delete,
                        ck_ring_spsc_fill_and_drain, ck_ring_spsc_produce, ck_ring_spsc_consume>>(
      "ck_ring_spsc");
#endif
#ifdef BENCH_RUST
  contend<foreign_loops<rtrb_ends, std::size_t, rtrb_new, rtrb_delete, rtrb_fill_and_drain,
                        rtrb_produce, rtrb_consume>>("rtrb");
  contend<foreign_loops<ringbuf_ends, std::size_t, ringbuf_new, ringbuf_delete,
                        ringbuf_fill_and_drain, ringbuf_produce, ringbuf_consume>>("ringbuf");
#endif
}
