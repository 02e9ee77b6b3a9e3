// SPDX-License-Identifier: Apache-2.0
#include "bough/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "bough/error.hpp"
#include "bough/rng.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

std::size_t n_entries(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

ExitCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return ExitCode::ok;
}

/// Several chunks of it, compressed or not.
std::string long_text() {
  std::string text;
  for (long long i = 0; i < 100'000; ++i) text += std::to_string(i * i) + "\n";
  return text;
}

std::string raw(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_raw(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// What read_file says, without the directory; empty if it reads.
std::string complaint_about(const std::filesystem::path& path, std::size_t max_bytes = 1U << 30) {
  try {
    (void)read_file(path, max_bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return std::string(error.what()).substr(path.parent_path().string().size() + 1);
  }
  return "";
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "result.txt";
  {
    AtomicFile file(path);
    file.write("half");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(n_entries(directory.path()), 0U) << "an abandoned file leaves nothing";
  write_file(path, "whole");
  EXPECT_EQ(read_file(path), "whole");
  EXPECT_EQ(n_entries(directory.path()), 1U);
}

TEST(AtomicFile, KeepsTheOldFileUntilTheNewOneIsComplete) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "result.txt";
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("new, but abandoned");
  }
  EXPECT_EQ(read_file(path), "old");
}

TEST(AtomicFile, CompressesByNameAndGivesTheSameBytesEveryTime) {
  const TemporaryDirectory directory;
  const std::string text = long_text();
  write_file(directory.path() / "a.gz", text);
  write_file(directory.path() / "b.gz", text);
  EXPECT_EQ(read_file(directory.path() / "a.gz"), text);
  EXPECT_LT(std::filesystem::file_size(directory.path() / "a.gz"), text.size() / 2);
  EXPECT_EQ(sha256_of_file(directory.path() / "a.gz"), sha256_of_file(directory.path() / "b.gz"));
}

TEST(AtomicFile, CompressesZstdInOneFrameHoweverItIsWritten) {
  const TemporaryDirectory directory;
  const std::string text = long_text();
  write_file(directory.path() / "a.zst", text);
  write_file(directory.path() / "b.zst", text);
  EXPECT_EQ(read_file(directory.path() / "a.zst"), text);
  EXPECT_EQ(raw(directory.path() / "a.zst"), raw(directory.path() / "b.zst"));
  EXPECT_LT(raw(directory.path() / "a.zst").size(), text.size() / 2);
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{65536}, text.size()}) {  // without the size, the pieces do not show
    AtomicFile file(directory.path() / (std::to_string(piece) + ".zst"));
    for (std::size_t at = 0; at < text.size(); at += piece) file.write(std::string_view(text).substr(at, piece));
    file.commit();
    EXPECT_EQ(read_file(directory.path() / (std::to_string(piece) + ".zst")), text);
    EXPECT_EQ(raw(directory.path() / (std::to_string(piece) + ".zst")), raw(directory.path() / "1000.zst"));
  }
}

// RFC 8878, 3.1.1: magic number, then the descriptor 0x24: bit 5, a single segment, whose size follows in one byte; bit 2, a checksum.
TEST(AtomicFile, AZstdFrameHasItsContentsSizeAndChecksum) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "abc.zst", "abc");
  const std::string bytes = raw(directory.path() / "abc.zst");
  ASSERT_EQ(bytes.size(), 4U + 1 + 1 + 3 + 3 + 4);  // magic, descriptor, size, block header, block, checksum
  EXPECT_TRUE(bytes.starts_with("\x28\xb5\x2f\xfd\x24\x03")) << "single segment with checksum, 3 bytes";
  EXPECT_EQ(bytes.substr(9, 3), "abc") << "too short to compress";
}

TEST(AtomicFile, WritesInTheCurrentDirectory) {  // whose name is empty in the path; it is flushed after the rename like any other
  const TemporaryDirectory directory;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const ExitCode code = code_of([] { write_file("here", "text"); });
  std::filesystem::current_path(before);
  EXPECT_EQ(code, ExitCode::ok);
  EXPECT_EQ(read_file(directory.path() / "here"), "text");
}

TEST(AtomicFile, SaysWhichFileCannotBeWritten) {
  EXPECT_EQ(code_of([] { AtomicFile("no/such/directory/file"); }), ExitCode::cannot_write);
  EXPECT_EQ(code_of([] { write_file("/dev/full", "x"); }), ExitCode::cannot_write);
}

TEST(AtomicFile, WhatAKilledProcessLeftIsFoundByItsName) {
  const TemporaryDirectory directory;
  std::string temporary;
  {
    const AtomicFile open(directory.path() / "set.json");
    temporary = std::filesystem::directory_iterator(directory.path())->path().filename().string();
  }
  for (const std::string& name : {temporary, std::string("set.json"), std::string("notes.tmp-1"), std::string("tmp-abcdef"), "model.json" + temporary.substr(8)}) write_file(directory.path() / name, "x");
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) found.insert(entry.path().filename().string());
    return found;
  };
  remove_leftovers(directory.path(), "set.");
  EXPECT_EQ(names(), (std::set<std::string>{"set.json", "notes.tmp-1", "tmp-abcdef", "model.json" + temporary.substr(8)}));
  remove_leftovers(directory.path());
  EXPECT_EQ(names(), (std::set<std::string>{"set.json", "notes.tmp-1", "tmp-abcdef"}));
  remove_leftovers(directory.path() / "missing");
}

class ReadPacked : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::filesystem::path file(const std::string& stem) const { return directory_.path() / (stem + "." + GetParam()); }
  [[nodiscard]] std::string format() const { return GetParam() == std::string("gz") ? "gzip" : "zstd"; }
  TemporaryDirectory directory_;
};
INSTANTIATE_TEST_SUITE_P(File, ReadPacked, testing::Values("gz", "zst"), [](const auto& packed) { return packed.param; });

TEST_P(ReadPacked, JoinsConcatenatedFiles) {  // `cat a.gz b.gz` is a valid gzip file, and the same holds for zstd
  write_file(file("a"), "first ");
  write_file(file("b"), "");
  write_file(file("c"), long_text());
  write_raw(file("all"), raw(file("a")) + raw(file("b")) + raw(file("c")) + raw(file("a")));
  EXPECT_EQ(read_file(file("all")), "first " + long_text() + "first ");
}

TEST_P(ReadPacked, GivesContentsOfEveryLengthAroundAChunk) {
  for (const std::size_t n : {0U, 1U, 65535U, 65536U, 65537U, 131072U}) {
    write_file(file("a"), std::string(n, 'x'));
    EXPECT_EQ(read_file(file("a")), std::string(n, 'x')) << n;
  }
  Rng rng("noise", 1);  // incompressible: the packed bytes cross chunks too
  for (const std::size_t n : {65500U, 65536U, 200'000U}) {
    std::string noise;
    for (std::size_t i = 0; i < n; ++i) noise += static_cast<char>(rng.below(256));
    write_file(file("a"), noise);
    EXPECT_EQ(read_file(file("a")), noise) << n;
  }
}

TEST_P(ReadPacked, SaysThatAFileIsCutOffAtEveryLength) {
  write_file(file("whole"), "To be or not to be, that is the question: to be or not to be.");
  const std::string bytes = raw(file("whole"));
  for (std::size_t n = 4; n < bytes.size(); ++n) {
    write_raw(file("cut"), bytes.substr(0, n));
    EXPECT_EQ(complaint_about(file("cut")), std::string("cut.") + GetParam() + ": the " + format() + " data is cut off") << n;
  }
}

TEST_P(ReadPacked, SaysThatAFileIsDamaged) {
  write_file(file("whole"), long_text());
  std::string bytes = raw(file("whole"));
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 20; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  write_raw(file("bad"), bytes);
  EXPECT_EQ(complaint_about(file("bad")), std::string("bad.") + GetParam() + ": the " + format() + " data is damaged");
  bytes = raw(file("whole"));
  bytes[bytes.size() - (format() == "gzip" ? 8 : 4)] ^= 1;  // the checksum
  write_raw(file("bad"), bytes);
  EXPECT_EQ(complaint_about(file("bad")), std::string("bad.") + GetParam() + ": the " + format() + " data is damaged");
  write_raw(file("bad"), raw(file("whole")) + "something else");
  EXPECT_EQ(complaint_about(file("bad")), std::string("bad.") + GetParam() + ": the " + format() + " data is damaged");
}

TEST_P(ReadPacked, ABombIsAnErrorAtTheLimit) {  // 64 MB of zeros in a few thousand bytes
  {
    AtomicFile bomb(file("bomb"));
    const std::string zeros(1U << 20, '\0');
    for (int k = 0; k < 64; ++k) bomb.write(zeros);
    bomb.commit();
  }
  EXPECT_LT(std::filesystem::file_size(file("bomb")), 100'000U);
  EXPECT_EQ(complaint_about(file("bomb"), 1U << 20), std::string("bomb.") + GetParam() + ": more than 1048576 bytes of content");
  EXPECT_EQ(complaint_about(file("bomb"), (64U << 20) - 1), std::string("bomb.") + GetParam() + ": more than 67108863 bytes of content");
  EXPECT_EQ(read_file(file("bomb"), 64U << 20).size(), 64U << 20) << "the limit itself is allowed";
}

TEST_P(ReadPacked, IsRecognisedByItsContentNotItsName) {
  write_file(file("a"), "text");
  std::filesystem::rename(file("a"), directory_.path() / "a");
  EXPECT_EQ(read_file(directory_.path() / "a"), "text");
  EXPECT_EQ(compression_of(directory_.path() / "a"), format());
  write_raw(file("plain"), "text");
  EXPECT_EQ(read_file(file("plain")), "text");
  EXPECT_EQ(compression_of(file("plain")), "");
}

TEST(ReadFile, LimitsPlainFilesToo) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "plain", "12345");
  EXPECT_EQ(read_file(directory.path() / "plain", 5), "12345");
  EXPECT_EQ(complaint_about(directory.path() / "plain", 4), "plain: more than 4 bytes of content");
  EXPECT_EQ(complaint_about("/dev/zero", 1U << 20), "zero: more than 1048576 bytes of content") << "a file without an end";
}

TEST(ReadFile, FindsTheMagicNumberOfAPipeThatDeliversByteByByte) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "a.zst", "text");
  const auto script = "mkfifo p; (for i in $(seq 0 64); do dd if=a.zst bs=1 count=1 skip=$i status=none; done > p) & echo started";
  ASSERT_EQ(run_program({"sh", "-c", script}, directory.path()).out, "started\n");
  EXPECT_EQ(read_file(directory.path() / "p"), "text");
}

TEST(ReadFile, DistinguishesMissingFromDamaged) {
  const TemporaryDirectory directory;
  EXPECT_EQ(code_of([&] { (void)read_file(directory.path() / "missing"); }), ExitCode::missing_input);
  EXPECT_EQ(code_of([&] { (void)read_file(directory.path()); }), ExitCode::missing_input);
  write_file(directory.path() / "cut", "\x1f\x8b\x08");
  EXPECT_EQ(code_of([&] { (void)read_file(directory.path() / "cut"); }), ExitCode::bad_input);
}

TEST(Sha256, IsTheStandardsExample) {  // FIPS 180-2, appendix B.1
  const TemporaryDirectory directory;
  write_file(directory.path() / "abc", "abc");
  EXPECT_EQ(sha256_of_file(directory.path() / "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace bough::test
