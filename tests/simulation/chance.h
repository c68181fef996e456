// Chance from a seed: the same seed, the same story, on every machine.
#pragma once

#include <cstdint>

namespace holdfast {

class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}

  uint64_t Next() {  // splitmix64
    state_ += 0x9e3779b97f4a7c15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  // From 0 to below `count`. REQUIRES: count > 0.
  int Below(int count) {
    return static_cast<int>(((Next() >> 32) * static_cast<uint64_t>(count)) >> 32);
  }

  // 0 means never.
  bool OneIn(int count) { return count > 0 && Below(count) == 0; }

 private:
  uint64_t state_;
};

}  // namespace holdfast
