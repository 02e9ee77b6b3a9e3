// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "bough/safetensors.hpp"

namespace bough::test {

/// A safetensors file taken apart, to be damaged and put together again.
struct Editable {
  struct Tensor {
    DType dtype;
    std::vector<std::size_t> shape;
    std::string data;
  };
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;

  explicit Editable(const std::string& bytes) {
    const SafeTensors file = SafeTensors::parse(bytes, "file");
    metadata.insert(file.metadata().begin(), file.metadata().end());
    for (const auto& [name, tensor] : file.tensors()) {
      tensors[name] = {tensor.dtype, tensor.shape, std::string(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size())};
    }
  }

  template <class T>
  void set(const std::string& name, std::size_t i, T value) {
    ASSERT_LE((i + 1) * sizeof value, tensors.at(name).data.size()) << name;
    std::memcpy(tensors.at(name).data.data() + i * sizeof value, &value, sizeof value);
  }

  [[nodiscard]] std::string bytes() const {
    SafeTensorsWriter writer;
    for (const auto& [key, value] : metadata) writer.metadata(key, value);
    for (const auto& [name, tensor] : tensors) writer.add(name, tensor.dtype, tensor.shape, std::as_bytes(std::span(tensor.data)));
    return writer.bytes();
  }
};

}  // namespace bough::test
