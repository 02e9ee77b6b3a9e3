// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bough {

/// The safetensors container: named arrays and a map of strings, in one file without code.  Models and samples are stored in it.
///
///   bytes 0..7      N, the header's length: unsigned, little endian, at most 100,000,000
///   bytes 8..8+N    JSON, starts with '{', may end in spaces:
///                     {"__metadata__": {"key": "text", ...}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
///   then the data   every tensor at its offsets, little endian, the last index fastest; no overlap, no hole, nothing after the last one
///
/// Stricter than the specification, so that a reader need not be careful: at most 100,000 tensors and as many metadata entries, 8
/// dimensions, non-empty names, no key that is not listed above, no key twice, sizes whose product fits in 64 bits even without
/// their zeros.

/// Element types, by the specification's names: BOOL, U8, ..., F64.  Any other is refused with its name.
enum class DType : std::uint8_t { boolean, u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64 };

std::size_t size_of(DType dtype);
std::string_view name_of(DType dtype);

/// The element type that is stored as T.
template <class T>
consteval DType dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::u8;
  else if constexpr (std::is_same_v<T, std::int8_t>) return DType::i8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return DType::u16;
  else if constexpr (std::is_same_v<T, std::int16_t>) return DType::i16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return DType::u32;
  else if constexpr (std::is_same_v<T, std::int32_t>) return DType::i32;
  else if constexpr (std::is_same_v<T, float>) return DType::f32;
  else if constexpr (std::is_same_v<T, std::uint64_t>) return DType::u64;
  else if constexpr (std::is_same_v<T, std::int64_t>) return DType::i64;
  else if constexpr (std::is_same_v<T, double>) return DType::f64;
  else static_assert(false, "no element type is stored as this one");
}

struct Tensor {
  DType dtype;
  std::vector<std::size_t> shape;   ///< (rank); a scalar has rank 0
  std::span<const std::byte> data;  ///< a view on the owner; perhaps not aligned: copy with values(), or memcpy
};

/// A parsed file.  Owns the bytes that its tensors view; a move keeps the views valid.
class SafeTensors {
 public:
  /// `origin` is the file's name in messages.  Throws Error (bad_input) unless the whole file is as described above; allocates no
  /// more than a multiple of the bytes that are there.
  static SafeTensors parse(std::string bytes, const std::string& origin);

  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
  [[nodiscard]] const std::map<std::string, Tensor, std::less<>>& tensors() const { return tensors_; }
  [[nodiscard]] const std::string& origin() const { return origin_; }

  /// The elements of the tensor `name`.  Throws Error (bad_input) unless it is there with T's element type and with `shape`.
  template <class T>
  [[nodiscard]] std::vector<T> values(std::string_view name, std::span<const std::size_t> shape) const {
    const Tensor& tensor = require(name, dtype_of<T>());
    require_shape(name, tensor, shape);
    return copy<T>(tensor);
  }

  /// The same for a tensor with one dimension, of any length.
  template <class T>
  [[nodiscard]] std::vector<T> vector(std::string_view name) const {
    const Tensor& tensor = require(name, dtype_of<T>());
    require_one_dimension(name, tensor);
    return copy<T>(tensor);
  }

 private:
  SafeTensors() = default;
  [[nodiscard]] const Tensor& require(std::string_view name, DType dtype) const;
  void require_shape(std::string_view name, const Tensor& tensor, std::span<const std::size_t> shape) const;
  void require_one_dimension(std::string_view name, const Tensor& tensor) const;

  template <class T>
  static std::vector<T> copy(const Tensor& tensor) {
    std::vector<T> elements(tensor.data.size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), tensor.data.data(), tensor.data.size());
    return elements;
  }

  std::string origin_;
  std::unique_ptr<const std::string> bytes_;  // by pointer: a short string's bytes lie in the object and would move with it
  std::map<std::string, std::string, std::less<>> metadata_;
  std::map<std::string, Tensor, std::less<>> tensors_;
};

/// Collects tensors and metadata and gives the file's bytes, the same for the same content in whatever order it was added.
///
/// Wide elements come first, then by name, and the header is padded to a multiple of 8 bytes: so every tensor is aligned in a file
/// that is mapped or read to an aligned address.  What SafeTensors::parse would refuse is an Error (failure) here.
class SafeTensorsWriter {
 public:
  /// `data` holds the elements as the file does, and is copied.
  void add(std::string name, DType dtype, std::vector<std::size_t> shape, std::span<const std::byte> data);

  /// add<float>("weights", values, {n_rows, n_columns})
  template <class T>
  void add(std::string name, std::span<const T> values, std::vector<std::size_t> shape) {
    add(std::move(name), dtype_of<T>(), std::move(shape), std::as_bytes(values));
  }

  void metadata(std::string key, std::string value);

  [[nodiscard]] std::string bytes() const;

 private:
  struct Entry {
    DType dtype;
    std::vector<std::size_t> shape;  // (rank)
    std::string data;
  };
  std::map<std::string, std::string, std::less<>> metadata_;
  std::map<std::string, Entry, std::less<>> tensors_;
};

}  // namespace bough
