// SPDX-License-Identifier: Apache-2.0
#include "tests/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> counter{0};
}

namespace bough::test {
std::size_t n_allocations() { return counter.load(); }
}  // namespace bough::test

// The replaceable global functions; the array and nothrow forms call these.  The address sanitizer has its own, and a debug build does
// not count anyway.
#ifndef __SANITIZE_ADDRESS__
void* operator new(std::size_t size) {
  ++counter;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
#endif
