// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer's entry for the container of models and samples: any bytes parse or throw Error, and what parses survives a round trip, as a
// container and, if it is one, as a shard of samples or as a model.
// Everything else (another exception, a sanitizer's finding, a difference) ends the process and leaves the input behind.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "bough/dataset/episode.hpp"
#include "bough/error.hpp"
#include "bough/model/model.hpp"
#include "bough/safetensors.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace bough {
namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  (void)std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

std::string write(const SafeTensors& file) {
  SafeTensorsWriter writer;
  for (const auto& [key, value] : file.metadata()) writer.metadata(key, value);
  for (const auto& [name, tensor] : file.tensors()) writer.add(name, tensor.dtype, tensor.shape, tensor.data);
  return writer.bytes();
}

/// The tensors are all of the data, by their views and by their shapes.
void check_cover(const SafeTensors& file, std::size_t n_data) {
  std::size_t n_viewed = 0;
  std::size_t n_shaped = 0;
  for (const auto& [name, tensor] : file.tensors()) {
    n_viewed += tensor.data.size();
    std::size_t product = size_of(tensor.dtype);
    for (const std::size_t n : tensor.shape) product *= n;
    n_shaped += product;
  }
  require(n_viewed == n_data && n_shaped == n_data, "the tensors are not the data");
}

void check_round_trip(const SafeTensors& file) {
  const std::string bytes = write(file);
  const SafeTensors again = SafeTensors::parse(bytes, "again");
  require(again.metadata() == file.metadata(), "the metadata differ");
  require(std::ranges::equal(again.tensors(), file.tensors(),
                             [](const auto& a, const auto& b) {
                               return a.first == b.first && a.second.dtype == b.second.dtype && a.second.shape == b.second.shape &&
                                      std::ranges::equal(a.second.data, b.second.data);
                             }),
          "the tensors differ");
  require(write(again) == bytes, "the bytes differ");
}

/// What `read` makes of the file; nothing if it throws Error (bad_input), the one thing that it may throw.
template <class F>
auto attempt(const F& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    require(error.code() == ExitCode::bad_input, error.what());
    require(std::string_view(error.what()).starts_with("input: "), "a message without the file's name");
    return std::nullopt;
  }
}

/// The readers of a parsed file.
void check_readers(const SafeTensors& file) {
  for (const auto& [name, tensor] : file.tensors()) {
    try {
      require(file.values<float>(name, tensor.shape).size() * sizeof(float) == tensor.data.size(), "elements are missing");
    } catch (const Error& error) {
      require(error.code() == ExitCode::bad_input && tensor.dtype != DType::f32, "a tensor cannot be read");
    }
  }
  if (const auto episode = attempt([&] { return read_episode(file); })) {
    require(read_episode(SafeTensors::parse(episode_bytes(*episode), "again")) == *episode, "the episodes differ");
  }
  if (const auto model = attempt([&] { return model_from(file); })) {
    require(model_from(SafeTensors::parse(model_bytes(*model), "again")) == *model, "the models differ");
  }
}

}  // namespace
}  // namespace bough

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bough;
  std::optional<SafeTensors> file;
  try {
    file = SafeTensors::parse(std::string(reinterpret_cast<const char*>(data), size), "input");
  } catch (const Error& error) {
    require(error.code() == ExitCode::bad_input, error.what());
    return 0;
  }
  std::uint64_t length = 0;
  std::memcpy(&length, data, sizeof length);
  check_cover(*file, size - sizeof length - length);
  check_round_trip(*file);
  check_readers(*file);
  return 0;
}

// Mutations of the whole file nearly always leave a header length that cuts the JSON in two, so half of them change the header or the
// data alone and set the length right again.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  std::uint64_t length = 0;
  if (size >= sizeof length) std::memcpy(&length, data, sizeof length);
  if (seed % 2 == 0 || size < sizeof length || length > size - sizeof length || size == max_size) return LLVMFuzzerMutate(data, size, max_size);
  const std::size_t data_begin = sizeof length + length;
  const std::size_t n_data = size - data_begin;
  if (seed % 8 == 1) return data_begin + LLVMFuzzerMutate(data + data_begin, n_data, max_size - data_begin);

  const std::string tail(reinterpret_cast<const char*>(data) + data_begin, n_data);
  length = LLVMFuzzerMutate(data + sizeof length, length, max_size - sizeof length - n_data);
  std::memcpy(data, &length, sizeof length);
  std::memcpy(data + sizeof length + length, tail.data(), n_data);
  return sizeof length + length + n_data;
}
