// The chance of calls: quick, good enough to spread them, of no use to keep a secret.
#pragma once

#include <cstdint>
#include <random>

namespace holdfast {

// 64 bits, another each time; every thread has a generator of its own (splitmix64).
inline uint64_t RandomBits() {
  thread_local uint64_t state = (uint64_t{std::random_device()()} << 32) | std::random_device()();
  state += 0x9e3779b97f4a7c15;
  uint64_t bits = state;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// From [0, bound): a Chance. The bias is below bound / 2^32.
inline uint32_t RandomBelow(uint32_t bound) {
  return static_cast<uint32_t>(((RandomBits() >> 32) * uint64_t{bound}) >> 32);
}

}  // namespace holdfast
