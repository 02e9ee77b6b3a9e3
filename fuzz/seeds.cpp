// SPDX-License-Identifier: Apache-2.0
//
// bough-fuzz-seeds DIRECTORY     writes the files that the fuzzer starts from
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bough/safetensors.hpp"

int main(int argc, char** argv) {
  using namespace bough;
  if (argc != 2) {
    (void)std::fputs("usage: bough-fuzz-seeds DIRECTORY\n", stderr);
    return 2;
  }
  SafeTensorsWriter nothing;
  SafeTensorsWriter notes;
  notes.metadata("kind", "\"quoted\"\n\xc3\xa9");
  notes.metadata("", "");
  SafeTensorsWriter shapes;
  shapes.add<double>("scalar", std::vector<double>{1}, {});
  shapes.add<float>("matrix", std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  shapes.add<std::int32_t>("empty", std::vector<std::int32_t>{}, {0, 7});
  shapes.metadata("k", "v");
  SafeTensorsWriter types;
  const std::vector<std::byte> eight(8);
  for (int k = 0; k <= static_cast<int>(DType::f64); ++k) {
    const auto dtype = static_cast<DType>(k);
    types.add(std::string(1, static_cast<char>('a' + k)), dtype, {1}, std::span(eight).first(size_of(dtype)));
  }
  int k = 0;
  for (const SafeTensorsWriter* seed : {&nothing, &notes, &shapes, &types}) {
    std::ofstream file(argv[1] + ("/seed-" + std::to_string(k++)), std::ios::binary);
    file << seed->bytes();
    file.close();
    if (!file) {
      (void)std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 73;
    }
  }
  return 0;
}
