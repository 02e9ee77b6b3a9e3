// SPDX-License-Identifier: Apache-2.0
#include "bough/safetensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/rng.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

using Shape = std::vector<std::size_t>;
using namespace std::string_literals;

/// A file as the specification lays it out.
std::string file_of(const std::string& header, const std::string& data = {}) {
  const auto length = std::bit_cast<std::array<char, 8>>(static_cast<std::uint64_t>(header.size()));
  return std::string(length.begin(), length.end()) + header + data;
}

/// The message of the Error that `action` throws, without the file's name; empty if it throws none.
std::string complaint(const auto& action, ExitCode expected = ExitCode::bad_input) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected);
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with("f: ") || what.starts_with("safetensors: ")) << what;
    return what.substr(what.find(": ") + 2);
  }
  return "";
}

std::string complaint_about(const std::string& bytes) {
  return complaint([&] { (void)SafeTensors::parse(bytes, "f"); });
}

/// Two tensors of different width and a metadata entry.
std::string small_file() {
  SafeTensorsWriter writer;
  writer.add<float>("b", std::vector<float>{1, 2}, {1, 2});
  writer.add<std::int64_t>("a", std::vector<std::int64_t>{3}, {});
  writer.metadata("k", "v");
  return writer.bytes();
}

// Wide elements first, then by name: w (F64), a and b (F32), z (U8); then spaces up to a multiple of 8.
TEST(SafeTensorsWriter, WritesTheDocumentedLayout) {
  SafeTensorsWriter writer;
  writer.metadata("note", "\"\xc3\xa9\"");
  writer.add<std::uint8_t>("z", std::vector<std::uint8_t>{7}, {1});
  writer.add<float>("b", std::vector<float>{1.5F}, {});
  writer.add<float>("a", std::vector<float>{}, {0, 3});
  writer.add<double>("w", std::vector<double>{-2}, {1, 1});
  std::string header =
      R"({"__metadata__":{"note":"\")"
      "\xc3\xa9"
      R"(\""},"w":{"dtype":"F64","shape":[1,1],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
      R"("b":{"dtype":"F32","shape":[],"data_offsets":[8,12]},"z":{"dtype":"U8","shape":[1],"data_offsets":[12,13]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(writer.bytes(), file_of(header, "\0\0\0\0\0\0\0\xc0"s + "\0\0\xc0\x3f"s + "\x07"s));
}

TEST(SafeTensorsWriter, AnEmptyFileIsTenBytesAndPadding) { EXPECT_EQ(SafeTensorsWriter().bytes(), "\x08\0\0\0\0\0\0\0{}      "s); }

TEST(SafeTensorsWriter, TheOrderOfAddingDoesNotMatter) {
  SafeTensorsWriter writer;
  writer.metadata("k", "v");
  writer.add<std::int64_t>("a", std::vector<std::int64_t>{3}, {});
  writer.add<float>("b", std::vector<float>{1, 2}, {1, 2});
  EXPECT_EQ(writer.bytes(), small_file());
}

TEST(SafeTensorsWriter, RefusesWhatTheReaderWouldRefuse) {
  SafeTensorsWriter writer;
  const std::vector<float> two{1, 2};
  const auto refusal = [&](const std::string& name, const Shape& shape) {
    return complaint([&] { writer.add<float>(name, two, shape); }, ExitCode::failure);
  };
  EXPECT_EQ(refusal("x", {3}), "tensor \"x\": 8 bytes do not fill F32 (3)");
  EXPECT_EQ(refusal("x", {1UL << 63, 2}), "tensor \"x\": 8 bytes do not fill F32 (9223372036854775808, 2)");
  EXPECT_EQ(refusal("x", {2, 1, 1, 1, 1, 1, 1, 1, 1}), "tensor \"x\": 9 dimensions, at most 8 are stored");
  EXPECT_EQ(refusal("", {2}), "tensor \"\": this cannot be a tensor's name");
  EXPECT_EQ(refusal("__metadata__", {2}), "tensor \"__metadata__\": this cannot be a tensor's name");
  EXPECT_EQ(refusal("\xff", {2}), "\"\\ufffd\" is not UTF-8");
  EXPECT_EQ(refusal("x", {2}), "");
  EXPECT_EQ(refusal("x", {2}), "tensor \"x\": added twice");
  writer.metadata("k", "v");
  EXPECT_EQ(complaint([&] { writer.metadata("k", "w"); }, ExitCode::failure), "metadata \"k\" added twice");
  EXPECT_EQ(complaint([&] { writer.metadata("l", "\xff"); }, ExitCode::failure), "\"\\ufffd\" is not UTF-8");
  EXPECT_EQ(SafeTensors::parse(writer.bytes(), "f").values<float>("x", Shape{2}), two) << "a refusal leaves the writer as it was";
}

// Property: parse(write(x)) = x, for any types, shapes, names and bytes; and writing it again gives the same file.
TEST(SafeTensors, EveryFileComesBackAsItWasWritten) {
  constexpr std::array all{DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16, DType::f16, DType::bf16,
                           DType::u32,     DType::i32, DType::f32, DType::u64, DType::i64, DType::f64};
  Rng rng("safetensors", 1);
  const auto random_text = [&] {  // any code points below the surrogates, control characters and quotes among them
    std::string text;
    for (int k = rng.integer(0, 6); k > 0; --k) {
      const int c = rng.bernoulli(0.7) ? rng.integer(0, 0x7f) : rng.integer(0x80, 0x7ff);
      if (c >= 0x80) text += static_cast<char>(0xc0 | (c >> 6));
      text += static_cast<char>(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
    }
    return text;
  };
  for (int round = 0; round < 500; ++round) {
    struct Written {
      DType dtype;
      Shape shape;
      std::string data;
    };
    std::map<std::string, Written, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> metadata;
    for (int k = rng.integer(0, 8); k > 0; --k) metadata[random_text()] = random_text();
    for (int k = rng.integer(0, 12); k > 0; --k) {
      Written tensor{all[rng.below(all.size())], Shape(rng.below(5)), {}};
      std::size_t n_bytes = size_of(tensor.dtype);
      for (std::size_t& n : tensor.shape) n_bytes *= n = rng.below(5);
      for (std::size_t i = 0; i < n_bytes; ++i) tensor.data += static_cast<char>(rng.below(256));
      tensors["t" + random_text()] = tensor;
    }
    SafeTensorsWriter writer;
    for (const auto& [key, value] : metadata) writer.metadata(key, value);
    for (const auto& [name, t] : tensors) writer.add(name, t.dtype, t.shape, std::as_bytes(std::span(t.data)));

    const SafeTensors file = SafeTensors::parse(writer.bytes(), "f");
    EXPECT_EQ(file.metadata(), metadata);
    ASSERT_EQ(file.tensors().size(), tensors.size());
    SafeTensorsWriter again;
    for (const auto& [key, value] : file.metadata()) again.metadata(key, value);
    for (const auto& [name, t] : file.tensors()) {
      ASSERT_TRUE(tensors.contains(name));
      EXPECT_EQ(t.dtype, tensors[name].dtype);
      EXPECT_EQ(t.shape, tensors[name].shape);
      EXPECT_TRUE(std::ranges::equal(t.data, std::as_bytes(std::span(tensors[name].data))));
      again.add(name, t.dtype, t.shape, t.data);
    }
    EXPECT_EQ(again.bytes(), writer.bytes());
  }
}

TEST(SafeTensors, AMoveKeepsTheViews) {  // a file this short would lie inside a std::string and move with it
  SafeTensors first = SafeTensors::parse(file_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"), "f");
  const std::byte* before = first.tensors().at("a").data.data();
  const SafeTensors second = std::move(first);
  EXPECT_EQ(second.tensors().at("a").data.data(), before);
  EXPECT_EQ(second.vector<std::uint8_t>("a"), std::vector<std::uint8_t>{'x'});
  std::vector<SafeTensors> many;
  for (int k = 0; k < 20; ++k) many.push_back(SafeTensors::parse(file_of("{}"), std::to_string(k)));
  EXPECT_EQ(many[7].origin(), "7");
}

TEST(SafeTensors, ValuesNeedNotBeAligned) {  // a header of 61 bytes puts the double at an odd address
  const double value = -1.25;
  std::string header = R"({"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})";
  header.resize(61, ' ');
  const auto bytes = std::bit_cast<std::array<char, 8>>(value);
  const SafeTensors file = SafeTensors::parse(file_of(header, std::string(bytes.begin(), bytes.end())), "f");
  EXPECT_EQ(file.values<double>("a", {}), std::vector{value});
}

TEST(SafeTensors, ValuesSayWhatTheyExpectedAndGot) {
  const SafeTensors file = SafeTensors::parse(small_file(), "f");
  EXPECT_EQ(file.values<float>("b", Shape{1, 2}), (std::vector<float>{1, 2}));
  EXPECT_EQ(complaint([&] { (void)file.values<float>("c", Shape{1}); }), "no tensor \"c\"");
  EXPECT_EQ(complaint([&] { (void)file.values<float>("b", Shape{2, 1}); }), "tensor \"b\" has shape (1, 2), expected (2, 1)");
  EXPECT_EQ(complaint([&] { (void)file.values<double>("b", Shape{1, 2}); }), "tensor \"b\" is F32, expected F64");
  EXPECT_EQ(complaint([&] { (void)file.vector<float>("b"); }), "tensor \"b\" has shape (1, 2), expected one dimension");
  try {
    (void)file.vector<float>("c");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "it holds \"a\", \"b\"");
  }
}

TEST(SafeTensors, ScalarsEmptyTensorsAndEmptyFilesAreAllowed) {
  const SafeTensors file = SafeTensors::parse(
      file_of(R"({"e":{"dtype":"I32","shape":[3,0],"data_offsets":[4,4]},"s":{"dtype":"I32","shape":[],"data_offsets":[0,4]}} )", "\1\0\0\0"s), "f");
  EXPECT_EQ(file.values<std::int32_t>("s", {}), std::vector{1});
  EXPECT_TRUE(file.values<std::int32_t>("e", Shape{3, 0}).empty());
  EXPECT_EQ(complaint_about(file_of("{}")), "");
  EXPECT_EQ(complaint_about(file_of(R"({"__metadata__":{}})")), "");
}

struct Hostile {
  const char* title;
  std::string header;
  std::string data;
  std::string message;
};

TEST(SafeTensors, RefusesHostileHeadersWithTheirReason) {
  const auto tensor = [](const std::string& fields) { return R"({"a":{)" + fields + "}}"; };
  const auto shaped = [](const std::string& shape, const std::string& offsets = "[0,4]") {
    return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  const auto two = [](const std::string& first, const std::string& second) {
    return R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + first + R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}";
  };
  const std::string good = R"("dtype":"F32","shape":[1],"data_offsets":[0,4])";
  const std::string four = "1234";
  std::string deep_shape = shaped(std::string(100'000, '[') + std::string(100'000, ']'));
  const std::vector<Hostile> table{
      {"empty", "", "", "the header does not start with '{'"},
      {"an array", "[]", "", "the header does not start with '{'"},
      {"leading space", " {}", "", "the header does not start with '{'"},
      {"byte order mark", "\xef\xbb\xbf{}", "", "the header does not start with '{'"},
      {"not closed", "{", "", "the header is not JSON at byte 10: unexpected end of input; expected string literal"},
      {"two objects", "{}{}", "", "the header is not JSON at byte 11: unexpected '{'; expected end of input"},
      {"a zero byte", "{}\0garbage"s, "", "the header is not JSON at byte 10: a zero byte"},
      {"a comment", "{/**/}", "", "the header is not JSON at byte 10: invalid literal"},
      {"not UTF-8", "{\"\xff\":1}", "", "the header is not JSON at byte 11: invalid string: ill-formed UTF-8 byte"},
      {"overlong UTF-8", "{\"\xc0\xaf\":1}", "", "the header is not JSON at byte 11: invalid string: ill-formed UTF-8 byte"},
      {"half a surrogate pair", R"({"\ud800":1})", "",
       "the header is not JSON at byte 17: invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF"},
      {"empty name", "{\"\":{" + good + "}}", four, "a tensor's name is empty"},
      {"tensor twice", "{\"a\":{" + good + "},\"a\":{" + good + "}}", four, "\"a\" appears twice"},
      {"tensor twice, once escaped", "{\"a\":{" + good + R"(},"\u0061":{)" + good + "}}", four, "\"a\" appears twice"},
      {"key twice", tensor(good + R"(,"dtype":"F32")"), four, "tensor \"a\": \"dtype\" appears twice"},
      {"offsets twice", tensor(R"("data_offsets":[0,4],)" + good), four, "tensor \"a\": \"data_offsets\" appears twice"},
      {"unknown key", tensor(good + R"(,"strides":[1])"), four, "tensor \"a\": unknown key \"strides\", expected dtype, shape and data_offsets"},
      {"no dtype", tensor(R"("shape":[1],"data_offsets":[0,4])"), four, "tensor \"a\": no dtype"},
      {"no shape", tensor(R"("dtype":"F32","data_offsets":[0,4])"), four, "tensor \"a\": no shape"},
      {"no offsets", tensor(R"("dtype":"F32","shape":[1])"), four, "tensor \"a\": no data_offsets"},
      {"unknown dtype", tensor(R"("dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4])"), four, "tensor \"a\": unknown dtype \"F8_E4M3\""},
      {"dtype in small letters", tensor(R"("dtype":"f32","shape":[1],"data_offsets":[0,4])"), four, "tensor \"a\": unknown dtype \"f32\""},
      {"dtype a number", tensor(R"("dtype":4)"), four, "tensor \"a\": dtype is a number, expected a string"},
      {"dtype an array", tensor(R"("dtype":["F32"])"), four, "tensor \"a\": dtype is an array, expected a string"},
      {"tensor null", R"({"a":null})", "", "tensor \"a\" is null, expected an object"},
      {"tensor an array", R"({"a":[]})", "", "tensor \"a\" is an array, expected an object"},
      {"control characters in a name", R"({"\u001b[2J":7})", "", "tensor \"\\u001b[2J\" is a number, expected an object"},
      {"shape a number", shaped("1"), four, "tensor \"a\": shape is a number, expected an array of integers"},
      {"shape an object", shaped("{}"), four, "tensor \"a\": shape is an object, expected an array of integers"},
      {"negative", shaped("[-1]"), four, "tensor \"a\": shape holds a negative number, expected integers from 0 to 2^64-1"},
      {"a float", shaped("[1.0]"), four, "tensor \"a\": shape holds the number 1.0, expected integers from 0 to 2^64-1"},
      {"an exponent", shaped("[1e0]"), four, "tensor \"a\": shape holds the number 1e0, expected integers from 0 to 2^64-1"},
      {"2^64", shaped("[18446744073709551616]"), four,
       "tensor \"a\": shape holds the number 18446744073709551616, expected integers from 0 to 2^64-1"},
      {"not even a double", shaped("[1e999]"), four, "the header is not JSON at byte 42: a number is out of range"},
      {"true", shaped("[true]"), four, "tensor \"a\": shape holds a truth value, expected integers from 0 to 2^64-1"},
      {"a string", shaped("[\"1\"]"), four, "tensor \"a\": shape holds a string, expected integers from 0 to 2^64-1"},
      {"deep nesting", deep_shape, four, "tensor \"a\": shape holds an array, expected integers from 0 to 2^64-1"},
      {"deep objects", "{\"a\":{\"dtype\":{", "", "tensor \"a\": dtype is an object, expected a string"},
      {"nine dimensions", shaped("[1,1,1,1,1,1,1,1,1]"), four, "tensor \"a\": shape has more than 8 numbers"},
      {"product overflows", shaped("[4294967296,4294967296]"), four, "tensor \"a\": shape (4294967296, 4294967296) is too large"},
      {"bytes overflow to 4", shaped("[4611686018427387905]"), four, "tensor \"a\": shape (4611686018427387905) is too large"},
      {"overflow behind a zero", shaped("[0,4294967296,4294967296]", "[0,0]"), "", "tensor \"a\": shape (0, 4294967296, 4294967296) is too large"},
      {"too few elements", shaped("[1]", "[0,8]"), four + four, "tensor \"a\": data_offsets [0, 8] hold 8 bytes, expected 4 for F32 (1)"},
      {"too many elements", shaped("[2]"), four, "tensor \"a\": data_offsets [0, 4] hold 4 bytes, expected 8 for F32 (2)"},
      {"one offset", shaped("[1]", "[4]"), four, "tensor \"a\": data_offsets has 1 numbers, expected 2"},
      {"three offsets", shaped("[1]", "[0,4,4]"), four, "tensor \"a\": data_offsets has 3 numbers, expected 2"},
      {"reversed", shaped("[1]", "[4,0]"), four, "tensor \"a\": data_offsets [4, 0] are reversed"},
      {"out of the buffer", shaped("[1]", "[1,5]"), four, "tensor \"a\": cut off: data_offsets [1, 5], 4 bytes of data are there"},
      {"far out of the buffer", shaped("[1]", "[18446744073709551611,18446744073709551615]"), four,
       "tensor \"a\": cut off: data_offsets [18446744073709551611, 18446744073709551615], 4 bytes of data are there"},
      {"overlap", two("[0,2]", "[1,3]"), "123", "tensor \"b\" begins at 1, inside one that ends at 2"},
      {"the same bytes", two("[0,2]", "[0,2]"), "12", "tensor \"b\" begins at 0, inside one that ends at 2"},
      {"empty inside another", R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})", "12",
       "tensor \"b\" begins at 1, inside one that ends at 2"},
      {"hole between", two("[0,2]", "[3,5]"), "12345", "the data bytes from 2 to 3 belong to no tensor"},
      {"hole before", shaped("[1]", "[1,5]"), "12345", "the data bytes from 0 to 1 belong to no tensor"},
      {"trailing bytes", shaped("[1]"), "12345", "the data bytes from 4 to 5 belong to no tensor"},
      {"data without a tensor", "{}", "1", "the data bytes from 0 to 1 belong to no tensor"},
      {"metadata null", R"({"__metadata__":null})", "", "__metadata__ is null, expected an object"},
      {"metadata of numbers", R"({"__metadata__":{"k":1}})", "", "__metadata__: \"k\" is a number, expected a string"},
      {"metadata of objects", R"({"__metadata__":{"k":{}}})", "", "__metadata__: \"k\" is an object, expected a string"},
      {"metadata twice", R"({"__metadata__":{},"__metadata__":{}})", "", "\"__metadata__\" appears twice"},
      {"metadata key twice", R"({"__metadata__":{"k":"","k":""}})", "", "\"k\" appears twice in __metadata__"},
  };
  for (const Hostile& row : table) EXPECT_EQ(complaint_about(file_of(row.header, row.data)), row.message) << row.title;
}

TEST(SafeTensors, RefusesHeaderLengthsBeforeTheyAreUsed) {
  const auto with_length = [](std::uint64_t length) {
    const auto bytes = std::bit_cast<std::array<char, 8>>(length);
    return std::string(bytes.begin(), bytes.end()) + "{}";
  };
  EXPECT_EQ(complaint_about(with_length(3)), "cut off: a header of 3 bytes, 2 are there");
  EXPECT_EQ(complaint_about(with_length(100'000'000)), "cut off: a header of 100000000 bytes, 2 are there");
  EXPECT_EQ(complaint_about(with_length(100'000'001)), "a header of 100000001 bytes, expected at most 100000000");
  EXPECT_EQ(complaint_about(with_length(std::numeric_limits<std::uint64_t>::max() - 7)),
            "a header of 18446744073709551608 bytes, expected at most 100000000");
  EXPECT_EQ(complaint_about(with_length(std::numeric_limits<std::uint64_t>::max())),
            "a header of 18446744073709551615 bytes, expected at most 100000000");
}

TEST(SafeTensors, LimitsTheNumberOfEntries) {
  std::string names = "{";
  std::string keys = R"({"__metadata__":{)";
  for (int k = 0; k <= 100'000; ++k) {
    names += (k > 0 ? ",\"" : "\"") + std::to_string(k) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    keys += (k > 0 ? ",\"" : "\"") + std::to_string(k) + "\":\"\"";
  }
  EXPECT_EQ(complaint_about(file_of(names + "}")), "more than 100000 tensors");
  EXPECT_EQ(complaint_about(file_of(keys + "}}")), "more than 100000 entries in __metadata__");
}

TEST(SafeTensors, AFileCutAnywhereIsRefused) {
  const std::string whole = small_file();
  const std::size_t n_data = 16;
  ASSERT_EQ(complaint_about(whole), "");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string message = complaint_about(whole.substr(0, n));
    const std::string expected = n < 8                         ? std::to_string(n) + " bytes, too short"
                                 : n < whole.size() - n_data ? "cut off: a header of"
                                                             : "tensor \"";  // one of the two reaches past the end
    EXPECT_TRUE(message.starts_with(expected)) << n << ": " << message;
    EXPECT_TRUE(n < 8 || message.find("cut off") != std::string::npos) << n << ": " << message;
  }
}

// 20,000 damaged copies of valid files: each one parses or throws Error, nothing else, and what parses can be written and read again.
TEST(SafeTensors, DamagedFilesParseOrThrowError) {
  Rng rng("damage", 1);
  const std::string whole = small_file();
  int n_parsed = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string bytes = whole;
    for (int edits = rng.integer(1, 3); edits > 0 && !bytes.empty(); --edits) {
      const std::size_t at = rng.below(bytes.size());
      const int kind = rng.integer(0, 3);
      if (kind == 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << rng.below(8)));
      if (kind == 1) bytes[at] = static_cast<char>(rng.below(256));
      if (kind == 2) bytes.insert(at, 1, static_cast<char>(rng.below(256)));
      if (kind == 3) bytes.erase(at, 1);
    }
    try {
      const SafeTensors file = SafeTensors::parse(bytes, "f");
      ++n_parsed;
      SafeTensorsWriter writer;
      for (const auto& [key, value] : file.metadata()) writer.metadata(key, value);
      for (const auto& [name, tensor] : file.tensors()) writer.add(name, tensor.dtype, tensor.shape, tensor.data);
      EXPECT_EQ(SafeTensors::parse(writer.bytes(), "f").metadata(), file.metadata());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
    }
  }
  EXPECT_GT(n_parsed, 100) << "damage to the data alone is not seen: the format has no checksum";
}

// The public Python library is the judge of both directions.
TEST(SafeTensors, ThePublicLibraryReadsOurFilesAndWeReadItsFiles) {
  const TemporaryDirectory directory;
  SafeTensorsWriter writer;
  writer.metadata("kind", "sample \xc3\xa9");
  writer.add<double>("objective", std::vector{0.1, -1e300}, {2});
  writer.add<float>("weights", std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  writer.add<std::int32_t>("empty", std::vector<std::int32_t>{}, {0, 4});
  writer.add<std::uint8_t>("flag", std::vector<std::uint8_t>{255}, {});
  write_file(directory.path() / "ours", writer.bytes());
  const std::string script = R"(
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
with safe_open('ours', 'np') as f:
    assert f.metadata() == {'kind': 'sample é'}, f.metadata()
    got = {name: f.get_tensor(name) for name in f.keys()}
want = {'objective': np.array([0.1, -1e300]), 'weights': np.array([[1, 2, 3], [4, 5, 6]], 'f4'),
        'empty': np.zeros((0, 4), 'i4'), 'flag': np.array(255, 'u1')}
assert got.keys() == want.keys(), got.keys()
for name in want:
    assert got[name].dtype == want[name].dtype and got[name].shape == want[name].shape, name
    assert (got[name] == want[name]).all(), name
save_file(want | {'counts': np.array([2**63 - 1, -5], 'i8'), 'edges': np.array([[0, 1], [2, 65535]], 'u2')}, 'theirs', {'by': 'numpy'})
)";
  const Finished python = run_program({"python3", "-c", script}, directory.path());
  ASSERT_EQ(python.exit_code, 0) << python.err;

  const SafeTensors theirs = SafeTensors::parse(read_file(directory.path() / "theirs"), "theirs");
  EXPECT_EQ(theirs.metadata(), (std::map<std::string, std::string, std::less<>>{{"by", "numpy"}}));
  EXPECT_EQ(theirs.tensors().size(), 6U);
  EXPECT_EQ(theirs.vector<double>("objective"), (std::vector{0.1, -1e300}));
  EXPECT_EQ(theirs.values<float>("weights", Shape{2, 3}), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(theirs.values<std::int32_t>("empty", Shape{0, 4}), std::vector<std::int32_t>{});
  EXPECT_EQ(theirs.values<std::uint8_t>("flag", {}), std::vector<std::uint8_t>{255});
  EXPECT_EQ(theirs.vector<std::int64_t>("counts"), (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(), -5}));
  EXPECT_EQ(theirs.values<std::uint16_t>("edges", Shape{2, 2}), (std::vector<std::uint16_t>{0, 1, 2, 65535}));
}

}  // namespace
}  // namespace bough::test
