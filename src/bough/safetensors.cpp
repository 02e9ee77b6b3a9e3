// SPDX-License-Identifier: Apache-2.0
#include "bough/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <format>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>

#include "bough/error.hpp"
#include "bough/foreign_text.hpp"

namespace bough {
namespace {

static_assert(std::endian::native == std::endian::little, "the views and copies take the file's little-endian elements as they are");
static_assert(sizeof(std::size_t) == 8, "sizes in the file have 64 bits");

constexpr std::size_t length_bytes = 8;
constexpr std::size_t max_header_bytes = 100'000'000;  // the public library's limit
constexpr std::size_t max_entries = 100'000;           // tensors, and metadata entries: bounds what a header of short names can make us allocate
constexpr std::size_t max_rank = 8;
constexpr std::string_view metadata_key = "__metadata__";

struct DTypeInfo {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DTypeInfo, 13> dtypes{{{"BOOL", 1}, {"U8", 1}, {"I8", 1}, {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},  //
                                            {"U32", 4}, {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}}};

std::optional<DType> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(dtypes, name, &DTypeInfo::name);
  if (found == dtypes.end()) return std::nullopt;
  return static_cast<DType>(found - dtypes.begin());
}

std::string text_of(std::span<const std::size_t> shape) {
  std::string text;
  for (const std::size_t n : shape) text += std::format("{}{}", text.empty() ? "" : ", ", n);
  return "(" + text + ")";
}

/// The bytes of a tensor; nothing if the product overflows.  Zeros are left out of the overflow check's product, so that no reader
/// meets an overflow by multiplying in another order.
std::optional<std::size_t> n_bytes_of(DType dtype, std::span<const std::size_t> shape) {
  std::size_t product = size_of(dtype);
  bool empty = false;
  for (const std::size_t n : shape) {
    empty = empty || n == 0;
    if (__builtin_mul_overflow(product, std::max<std::size_t>(n, 1), &product)) return std::nullopt;
  }
  return empty ? 0 : product;
}

Error bad_file(const std::string& origin, const std::string& what, std::string hint = "is it a safetensors file, and whole?") {
  return Error(ExitCode::bad_input, origin + ": " + what, std::move(hint));
}

/// One tensor of the header, as far as it has been read.
struct HeaderEntry {
  std::string name;
  std::optional<DType> dtype;
  std::optional<std::vector<std::size_t>> shape;    // (rank)
  std::optional<std::vector<std::size_t>> offsets;  // (2): begin, end
};

/// Receives the header's JSON piece by piece and stops at the first one that has no place in the format.  No document is built and
/// nothing recurses, so nesting costs nothing: the fourth level is refused when it opens.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& origin) : origin_(origin) {}

  std::map<std::string, std::string, std::less<>> metadata;
  std::map<std::string, HeaderEntry, std::less<>> entries;

  bool start_object(std::size_t) override {
    if (at_ == At::start) {
      at_ = At::names;
    } else if (at_ == At::names && key_ == metadata_key) {
      at_ = At::metadata;
    } else if (at_ == At::names) {
      at_ = At::tensor;
    } else {
      refuse("an object");
    }
    return true;
  }

  bool key(std::string& key) override {
    if (at_ == At::names) {
      if (key.empty()) fail("a tensor's name is empty");
      if (key == metadata_key ? std::exchange(has_metadata_, true) : !entries.try_emplace(key).second) fail(in_quotes(key) + " appears twice");
      if (entries.size() > max_entries) fail(std::format("more than {} tensors", max_entries));
      entry_ = key == metadata_key ? nullptr : &entries.find(key)->second;
      if (entry_ != nullptr) entry_->name = key;
    } else if (at_ == At::metadata) {
      if (metadata.contains(key)) fail(std::format("{} appears twice in {}", in_quotes(key), metadata_key));
      if (metadata.size() == max_entries) fail(std::format("more than {} entries in {}", max_entries, metadata_key));
    } else {
      const bool twice = (key == "dtype" && entry_->dtype) || (key == "shape" && entry_->shape) || (key == "data_offsets" && entry_->offsets);
      if (twice) fail(std::format("tensor {}: {} appears twice", in_quotes(entry_->name), in_quotes(key)));
      if (key != "dtype" && key != "shape" && key != "data_offsets") {
        fail(std::format("tensor {}: unknown key {}, expected dtype, shape and data_offsets", in_quotes(entry_->name), in_quotes(key)));
      }
    }
    key_ = std::move(key);
    return true;
  }

  bool end_object() override {
    if (at_ == At::tensor) {
      const char* missing = !entry_->dtype ? "dtype" : !entry_->shape ? "shape" : !entry_->offsets ? "data_offsets" : nullptr;
      if (missing != nullptr) fail(std::format("tensor {}: no {}", in_quotes(entry_->name), missing));
      if (entry_->offsets->size() != 2) {
        fail(std::format("tensor {}: data_offsets has {} numbers, expected 2", in_quotes(entry_->name), entry_->offsets->size()));
      }
    }
    at_ = At::names;
    return true;
  }

  bool start_array(std::size_t) override {
    if (at_ != At::tensor || key_ == "dtype") refuse("an array");
    numbers_ = &(key_ == "shape" ? entry_->shape : entry_->offsets).emplace();
    at_ = At::numbers;
    return true;
  }

  bool end_array() override {
    at_ = At::tensor;
    return true;
  }

  bool string(std::string& value) override {
    if (at_ == At::metadata) {
      metadata.emplace(key_, std::move(value));
    } else if (at_ == At::tensor && key_ == "dtype") {
      entry_->dtype = dtype_named(value);
      if (!entry_->dtype) fail(std::format("tensor {}: unknown dtype {}", in_quotes(entry_->name), in_quotes(value)));
    } else {
      refuse("a string");
    }
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (at_ != At::numbers) refuse("a number");
    if (numbers_->size() == max_rank) fail(std::format("tensor {}: {} has more than {} numbers", in_quotes(entry_->name), key_, max_rank));
    numbers_->push_back(value);
    return true;
  }

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("a truth value"); }
  bool number_integer(std::int64_t) override { refuse("a negative number"); }
  bool number_float(double, const std::string& text) override { refuse("the number " + text.substr(0, 40)); }  // also 2^64 and above
  bool binary(nlohmann::json::binary_t&) override { refuse("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while parsing value - REASON; last read: 'TEXT'"
    const std::string_view what = error.what();
    const std::size_t dash = what.find(" - ");
    const std::string_view reason = dash == what.npos ? "a number is out of range" : what.substr(dash + 3, what.find("; last read") - dash - 3);
    fail(std::format("the header is not JSON at byte {}: {}", length_bytes + position, reason));
  }

 private:
  enum class At { start, names, metadata, tensor, numbers };

  [[noreturn]] void fail(const std::string& what) const { throw bad_file(origin_, what); }

  /// A value of the wrong kind.
  [[noreturn]] void refuse(const std::string& got) const {
    switch (at_) {
      case At::start: fail(std::format("the header is {}, expected an object", got));
      case At::metadata: fail(std::format("{}: {} is {}, expected a string", metadata_key, in_quotes(key_), got));
      case At::names:
        if (entry_ == nullptr) fail(std::format("{} is {}, expected an object", metadata_key, got));
        fail(std::format("tensor {} is {}, expected an object", in_quotes(entry_->name), got));
      case At::tensor:
        fail(std::format("tensor {}: {} is {}, expected {}", in_quotes(entry_->name), key_, got, key_ == "dtype" ? "a string" : "an array of integers"));
      case At::numbers: fail(std::format("tensor {}: {} holds {}, expected integers from 0 to 2^64-1", in_quotes(entry_->name), key_, got));
    }
    std::unreachable();
  }

  const std::string& origin_;
  At at_ = At::start;
  std::string key_;                             // the last key read
  HeaderEntry* entry_ = nullptr;                // the tensor being read; none in the metadata
  std::vector<std::size_t>* numbers_ = nullptr;  // the array being read
  bool has_metadata_ = false;
};

/// The header's text, after every check that needs no JSON.
std::string_view header_of(std::string_view bytes, const std::string& origin) {
  if (bytes.size() < length_bytes) {
    throw bad_file(origin, std::format("{} bytes, too short for the {} bytes of the header's length", bytes.size(), length_bytes));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  if (length > max_header_bytes) throw bad_file(origin, std::format("a header of {} bytes, expected at most {}", length, max_header_bytes));
  const std::string_view rest = bytes.substr(length_bytes);
  if (length > rest.size()) throw bad_file(origin, std::format("cut off: a header of {} bytes, {} are there", length, rest.size()));
  const std::string_view header = rest.substr(0, length);
  if (!header.starts_with('{')) throw bad_file(origin, "the header does not start with '{'");
  // nlohmann's lexer takes a zero byte for the end of its input and would not look at what follows.
  if (const std::size_t zero = header.find('\0'); zero != header.npos) {
    throw bad_file(origin, std::format("the header is not JSON at byte {}: a zero byte", length_bytes + zero));
  }
  return header;
}

void check_entry(const HeaderEntry& entry, std::size_t n_data_bytes, const std::string& origin) {
  const auto fail = [&](const std::string& what) { throw bad_file(origin, std::format("tensor {}: {}", in_quotes(entry.name), what)); };
  const std::size_t begin = (*entry.offsets)[0];
  const std::size_t end = (*entry.offsets)[1];
  if (begin > end) fail(std::format("data_offsets [{}, {}] are reversed", begin, end));
  if (end > n_data_bytes) fail(std::format("cut off: data_offsets [{}, {}], {} bytes of data are there", begin, end, n_data_bytes));
  const auto expected = n_bytes_of(*entry.dtype, *entry.shape);
  if (!expected) fail(std::format("shape {} is too large", text_of(*entry.shape)));
  if (*expected != end - begin) {
    fail(std::format("data_offsets [{}, {}] hold {} bytes, expected {} for {} {}", begin, end, end - begin, *expected, name_of(*entry.dtype),
                     text_of(*entry.shape)));
  }
}

/// In the order of their data, each tensor begins where the one before it ends, and the last one ends the file.
void check_cover(const std::map<std::string, HeaderEntry, std::less<>>& entries, std::size_t n_data_bytes, const std::string& origin) {
  std::vector<const HeaderEntry*> order;  // (n_tensors)
  order.reserve(entries.size());
  for (const auto& [name, entry] : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, [](const HeaderEntry* entry) -> const std::vector<std::size_t>& { return *entry->offsets; });
  std::size_t covered = 0;
  for (const HeaderEntry* entry : order) {
    const std::size_t begin = (*entry->offsets)[0];
    if (begin < covered) throw bad_file(origin, std::format("tensor {} begins at {}, inside one that ends at {}", in_quotes(entry->name), begin, covered));
    if (begin > covered) throw bad_file(origin, std::format("the data bytes from {} to {} belong to no tensor", covered, begin));
    covered = (*entry->offsets)[1];
  }
  if (covered != n_data_bytes) throw bad_file(origin, std::format("the data bytes from {} to {} belong to no tensor", covered, n_data_bytes));
}

/// Text as a JSON string; throws Error unless it is UTF-8.
std::string json_string(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw Error(ExitCode::failure, std::format("safetensors: {} is not UTF-8", in_quotes(text)));
  }
}

}  // namespace

std::size_t size_of(DType dtype) { return dtypes[static_cast<std::size_t>(dtype)].size; }

std::string_view name_of(DType dtype) { return dtypes[static_cast<std::size_t>(dtype)].name; }

SafeTensors SafeTensors::parse(std::string bytes, const std::string& origin) {
  SafeTensors file;
  file.origin_ = origin;
  file.bytes_ = std::make_unique<const std::string>(std::move(bytes));
  const std::string_view header = header_of(*file.bytes_, origin);
  const auto data = std::as_bytes(std::span(*file.bytes_)).subspan(length_bytes + header.size());

  HeaderReader reader(origin);
  (void)nlohmann::json::sax_parse(header.begin(), header.end(), &reader);  // the reader throws
  for (const auto& [name, entry] : reader.entries) check_entry(entry, data.size(), origin);
  check_cover(reader.entries, data.size(), origin);

  file.metadata_ = std::move(reader.metadata);
  for (auto& [name, entry] : reader.entries) {
    const std::size_t begin = (*entry.offsets)[0];
    const std::size_t end = (*entry.offsets)[1];
    file.tensors_.emplace_hint(file.tensors_.end(), name, Tensor{*entry.dtype, std::move(*entry.shape), data.subspan(begin, end - begin)});
  }
  return file;
}

const Tensor& SafeTensors::require(std::string_view name, DType dtype) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    std::string names;
    for (const auto& [other, tensor] : tensors_ | std::views::take(10)) names += (names.empty() ? "" : ", ") + in_quotes(other);
    throw bad_file(origin_, "no tensor " + in_quotes(name),
                   std::format("it holds {}{}", names.empty() ? "none" : names, tensors_.size() > 10 ? ", ..." : ""));
  }
  if (found->second.dtype != dtype) {
    throw bad_file(origin_, std::format("tensor {} is {}, expected {}", in_quotes(name), name_of(found->second.dtype), name_of(dtype)), "");
  }
  return found->second;
}

void SafeTensors::require_shape(std::string_view name, const Tensor& tensor, std::span<const std::size_t> shape) const {
  if (std::ranges::equal(tensor.shape, shape)) return;
  throw bad_file(origin_, std::format("tensor {} has shape {}, expected {}", in_quotes(name), text_of(tensor.shape), text_of(shape)), "");
}

void SafeTensors::require_one_dimension(std::string_view name, const Tensor& tensor) const {
  if (tensor.shape.size() == 1) return;
  throw bad_file(origin_, std::format("tensor {} has shape {}, expected one dimension", in_quotes(name), text_of(tensor.shape)), "");
}

void SafeTensorsWriter::add(std::string name, DType dtype, std::vector<std::size_t> shape, std::span<const std::byte> data) {
  const auto fail = [&](const std::string& what) { throw Error(ExitCode::failure, std::format("safetensors: tensor {}: {}", in_quotes(name), what)); };
  if (name.empty() || name == metadata_key) fail("this cannot be a tensor's name");
  if (shape.size() > max_rank) fail(std::format("{} dimensions, at most {} are stored", shape.size(), max_rank));
  if (n_bytes_of(dtype, shape) != data.size()) fail(std::format("{} bytes do not fill {} {}", data.size(), name_of(dtype), text_of(shape)));
  if (tensors_.size() == max_entries) fail(std::format("more than {} tensors", max_entries));
  if (tensors_.contains(name)) fail("added twice");
  (void)json_string(name);
  tensors_.emplace(std::move(name), Entry{dtype, std::move(shape), std::string(reinterpret_cast<const char*>(data.data()), data.size())});
}

void SafeTensorsWriter::metadata(std::string key, std::string value) {
  if (metadata_.size() == max_entries) throw Error(ExitCode::failure, std::format("safetensors: more than {} metadata entries", max_entries));
  if (metadata_.contains(key)) throw Error(ExitCode::failure, std::format("safetensors: metadata {} added twice", in_quotes(key)));
  (void)json_string(key);
  (void)json_string(value);
  metadata_.emplace(std::move(key), std::move(value));
}

std::string SafeTensorsWriter::bytes() const {
  std::vector<const std::pair<const std::string, Entry>*> order;  // (n_tensors)
  order.reserve(tensors_.size());
  for (const auto& tensor : tensors_) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(), [](const auto* tensor) { return size_of(tensor->second.dtype); });

  std::string header;
  const auto separate = [&] { header += header.ends_with('{') ? "" : ","; };
  header += '{';
  if (!metadata_.empty()) {
    header += json_string(metadata_key) + ":{";
    for (const auto& [key, value] : metadata_) {
      separate();
      header += json_string(key) + ":" + json_string(value);
    }
    header += '}';
  }
  std::size_t end = 0;
  for (const auto* tensor : order) {
    const auto& [name, entry] = *tensor;
    separate();
    const std::size_t begin = std::exchange(end, end + entry.data.size());
    header += std::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", json_string(name), name_of(entry.dtype),
                          nlohmann::json(entry.shape).dump(), begin, end);
  }
  header += '}';
  header.resize((header.size() + 7) / 8 * 8, ' ');
  if (header.size() > max_header_bytes) {
    throw Error(ExitCode::failure, std::format("safetensors: a header of {} bytes, at most {} are read", header.size(), max_header_bytes));
  }

  const std::uint64_t length = header.size();
  std::string bytes;
  bytes.reserve(length_bytes + header.size() + end);
  bytes.append(reinterpret_cast<const char*>(&length), length_bytes);
  bytes += header;
  for (const auto* tensor : order) bytes += tensor->second.data;
  return bytes;
}

}  // namespace bough
