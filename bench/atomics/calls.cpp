// SPDX-License-Identifier: MIT
#include "calls.hpp"

#include <cstdint>
#include <cstring>

namespace bench {

namespace {

template <unsigned Size>
struct word_type;
template <>
struct word_type<1> {
  using type = std::uint8_t;
};
template <>
struct word_type<2> {
  using type = std::uint16_t;
};
template <>
struct word_type<4> {
  using type = std::uint32_t;
};
template <>
struct word_type<8> {
  using type = std::uint64_t;
};
template <>
struct word_type<16> {
  __extension__ using type = unsigned __int128;
};
template <unsigned Size>
using word = typename word_type<Size>::type;

struct order {
  const char* name;
  int value;
};
constexpr order relaxed{"relaxed", __ATOMIC_RELAXED};
constexpr order acquire{"acquire", __ATOMIC_ACQUIRE};
constexpr order release{"release", __ATOMIC_RELEASE};
constexpr order seq_cst{"seq_cst", __ATOMIC_SEQ_CST};

/// What is operated on; nobody else has it. The largest object fills a page.
constexpr std::size_t page = 4096;
struct alignas(page) memory {
  unsigned char byte[2 * page];
};
memory object, expected, wanted, result;

/// Results go here, so that calls are not left out.
volatile unsigned char sink;

/// `act` is compiled once for all libraries: the loop around the call is the same.
template <class Act>
repeated over_and_over(Act act) {
  return [act](unsigned long times) {
    for (unsigned long n = 0; n != times; ++n) act();
  };
}

std::string called(const std::string& function, const order& in) {
  return function + "/" + in.name;
}

template <unsigned Size>
void add_sized(std::vector<call>& all) {
  using value = word<Size>;
  const std::string size = std::to_string(Size);
  for (const order& in : {relaxed, acquire, seq_cst}) {
    all.push_back({called("__atomic_load_" + size, in), [=](const library& from) {
                     auto* const load =
                         from.function<value(const void*, int)>("__atomic_load_" + size);
                     return over_and_over(
                         [=] { sink = static_cast<unsigned char>(load(&object, in.value)); });
                   }});
  }
  for (const order& in : {relaxed, release, seq_cst}) {
    all.push_back({called("__atomic_store_" + size, in), [=](const library& from) {
                     auto* const store =
                         from.function<void(void*, value, int)>("__atomic_store_" + size);
                     return over_and_over([=] { store(&object, 1, in.value); });
                   }});
  }
  for (const char* const operation :
       {"exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand",
        "add_fetch", "sub_fetch", "and_fetch", "or_fetch", "xor_fetch", "nand_fetch"}) {
    const std::string function = std::string("__atomic_") + operation + "_" + size;
    all.push_back({called(function, seq_cst), [=](const library& from) {
                     auto* const change = from.function<value(void*, value, int)>(function);
                     return over_and_over([=] {
                       sink = static_cast<unsigned char>(change(&object, 1, __ATOMIC_SEQ_CST));
                     });
                   }});
  }
  for (const bool succeeds : {true, false}) {
    const std::string function = "__atomic_compare_exchange_" + size;
    const std::string outcome = succeeds ? "/succeeds" : "/fails";
    all.push_back({called(function, seq_cst) + outcome, [=](const library& from) {
                     auto* const exchange =
                         from.function<bool(void*, void*, value, int, int)>(function);
                     return [=](unsigned long times) {
                       value seen = 0;
                       std::memcpy(object.byte, &seen, sizeof seen);
                       for (unsigned long n = 0; n != times; ++n) {
                         if (!succeeds) seen = 1;
                         sink = exchange(&object, &seen, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
                       }
                     };
                   }});
  }
  const std::string function = "__atomic_test_and_set_" + size;
  all.push_back({called(function, seq_cst), [=](const library& from) {
                   auto* const set = from.function<bool(void*, int)>(function);
                   return over_and_over([=] { sink = set(&object, __ATOMIC_SEQ_CST); });
                 }});
}

/// The functions for any size, on an object that begins `offset` bytes into a page.
void add_generic(std::vector<call>& all, std::size_t size, std::size_t offset) {
  unsigned char* const at = object.byte + offset;
  const std::string what = "/" + std::to_string(size) + " bytes" +
                           (offset != 0 ? " at " + std::to_string(offset) : std::string());
  const auto named = [&](const char* function, const order& in) {
    return function + what + "/" + in.name;
  };
  for (const order& in : {relaxed, seq_cst}) {
    all.push_back({named("__atomic_load", in), [=](const library& from) {
                     auto* const load = from.function<library::load_type>("__atomic_load");
                     return over_and_over([=] { load(size, at, &result, in.value); });
                   }});
  }
  for (const order& in : {release, seq_cst}) {
    all.push_back({named("__atomic_store", in), [=](const library& from) {
                     auto* const store = from.function<library::store_type>("__atomic_store");
                     return over_and_over([=] { store(size, at, &wanted, in.value); });
                   }});
  }
  all.push_back(
      {named("__atomic_exchange", seq_cst), [=](const library& from) {
         auto* const exchange = from.function<library::exchange_type>("__atomic_exchange");
         return over_and_over([=] { exchange(size, at, &wanted, &result, __ATOMIC_SEQ_CST); });
       }});
  for (const bool succeeds : {true, false}) {
    all.push_back(
        {named("__atomic_compare_exchange", seq_cst) + (succeeds ? "/succeeds" : "/fails"),
         [=](const library& from) {
           auto* const exchange =
               from.function<library::compare_exchange_type>("__atomic_compare_exchange");
           return [=](unsigned long times) {
             std::memset(&expected, 0, size);
             std::memset(&wanted, 0, size);
             std::memset(at, 0, size);
             for (unsigned long n = 0; n != times; ++n) {
               if (!succeeds) expected.byte[0] = 1;
               sink = exchange(size, at, &expected, &wanted, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
             }
           };
         }});
  }
}

void add_flags_and_fences(std::vector<call>& all) {
  all.push_back({"atomic_flag_test_and_set", [](const library& from) {
                   auto* const set =
                       from.function<bool(volatile void*)>("atomic_flag_test_and_set");
                   return over_and_over([=] { sink = set(&object); });
                 }});
  all.push_back({"atomic_flag_clear", [](const library& from) {
                   auto* const clear = from.function<void(volatile void*)>("atomic_flag_clear");
                   return over_and_over([=] { clear(&object); });
                 }});
  for (const order& in : {relaxed, acquire, seq_cst}) {
    all.push_back({called("atomic_flag_test_and_set_explicit", in), [=](const library& from) {
                     auto* const set = from.function<bool(volatile void*, int)>(
                         "atomic_flag_test_and_set_explicit");
                     return over_and_over([=] { sink = set(&object, in.value); });
                   }});
  }
  for (const order& in : {relaxed, release, seq_cst}) {
    all.push_back({called("atomic_flag_clear_explicit", in), [=](const library& from) {
                     auto* const clear =
                         from.function<void(volatile void*, int)>("atomic_flag_clear_explicit");
                     return over_and_over([=] { clear(&object, in.value); });
                   }});
  }
  for (const char* const function : {"atomic_thread_fence", "atomic_signal_fence"}) {
    for (const order& in : {relaxed, acquire, release, seq_cst}) {
      all.push_back({called(function, in), [=](const library& from) {
                       auto* const fence = from.function<void(int)>(function);
                       return over_and_over([=] { fence(in.value); });
                     }});
    }
  }
  for (const std::size_t size : {8, 16, 24}) {
    all.push_back(
        {"__atomic_is_lock_free/" + std::to_string(size) + " bytes", [=](const library& from) {
           auto* const ask = from.function<bool(std::size_t, const void*)>("__atomic_is_lock_free");
           return over_and_over([=] { sink = ask(size, &object); });
         }});
  }
  all.push_back({"__atomic_feraiseexcept", [](const library& from) {
                   auto* const raise = from.function<void(int)>("__atomic_feraiseexcept");
                   // No exception: what the compiler calls it for after each operation.
                   return over_and_over([=] { raise(0); });
                 }});
}

}  // namespace

std::vector<call> all_calls() {
  std::vector<call> all;
  add_sized<1>(all);
  add_sized<2>(all);
  add_sized<4>(all);
  add_sized<8>(all);
  add_sized<16>(all);
  // Within an aligned word; across one; too large for any; several lines; all of them.
  for (const std::size_t size : {1, 2, 3, 4, 7, 8, 12, 16, 24, 64, 100, 4096}) {
    add_generic(all, size, 0);
  }
  add_generic(all, 4, 2);
  add_generic(all, 8, 4);
  add_generic(all, 16, 8);
  add_generic(all, 24, 56);
  add_flags_and_fences(all);
  return all;
}

}  // namespace bench
