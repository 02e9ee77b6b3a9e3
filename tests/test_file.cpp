// SPDX-License-Identifier: Apache-2.0
#include "bough/file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "bough/error.hpp"
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
  std::string text;
  for (long long i = 0; i < 100'000; ++i) text += std::to_string(i * i) + "\n";  // several chunks
  write_file(directory.path() / "a.gz", text);
  write_file(directory.path() / "b.gz", text);
  EXPECT_EQ(read_file(directory.path() / "a.gz"), text);
  EXPECT_LT(std::filesystem::file_size(directory.path() / "a.gz"), text.size() / 2);
  EXPECT_EQ(sha256_of_file(directory.path() / "a.gz"), sha256_of_file(directory.path() / "b.gz"));
}

TEST(AtomicFile, SaysWhichFileCannotBeWritten) {
  EXPECT_EQ(code_of([] { AtomicFile("no/such/directory/file"); }), ExitCode::cannot_write);
  EXPECT_EQ(code_of([] { write_file("/dev/full", "x"); }), ExitCode::cannot_write);
}

TEST(ReadFile, JoinsTheMembersOfAGzipFile) {  // `cat a.gz b.gz` is a valid gzip file
  const TemporaryDirectory directory;
  write_file(directory.path() / "a.gz", "first ");
  write_file(directory.path() / "b.gz", "second");
  const auto command = "cat a.gz b.gz > both.gz";
  ASSERT_EQ(run_program({"sh", "-c", command}, directory.path()).exit_code, 0);
  EXPECT_EQ(read_file(directory.path() / "both.gz"), "first second");
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
