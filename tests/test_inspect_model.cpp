// SPDX-License-Identifier: Apache-2.0
//
// Model files on the command line: what a good one says, and how bad ones are refused before anything is solved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <format>
#include <limits>
#include <nlohmann/json.hpp>

#include "bough/file.hpp"
#include "bough/observe/graph.hpp"
#include "tests/models.hpp"
#include "tests/process.hpp"

namespace bough::test {
namespace {

constexpr Architecture tgat{.network = Network::tgat, .d = 16, .heads = 3, .memory = 4};

Model recorded_model() {
  Model model = random_model(tgat, 1);
  model.pseudocosts = 2;
  model.training = R"({"seed": 7, "data": {"train": "sets/train", "states": 1000}, "accuracy": {"best": 0.47, "last": 0.45}})";
  return model;
}

TEST(InspectModel, SaysWhatItIsAndWhereItComesFrom) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "model.safetensors", model_bytes(recorded_model()));
  const Finished text = run_program(words_of("bough inspect model.safetensors"), directory.path());
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* expected : {"tgat, d 16, heads 3, attention concat, memory 4", "weight 2 beside the logits", "gasse-19-5-1/1", "  data.train", "sets/train", "  accuracy.best", "0.47"}) {
    EXPECT_NE(text.out.find(expected), std::string::npos) << expected << "\n" << text.out;
  }
  EXPECT_NE(text.out.find(std::to_string(n_parameters(tgat))), std::string::npos) << text.out;

  const Finished json = run_program(words_of("bough inspect model.safetensors --json"), directory.path());
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto model = nlohmann::json::parse(json.out);
  EXPECT_EQ(model.at("parameters"), n_parameters(tgat));
  EXPECT_EQ(model.at("sha256"), sha256_of_file(directory.path() / "model.safetensors"));
  EXPECT_EQ(model.at("bytes"), std::filesystem::file_size(directory.path() / "model.safetensors"));
  EXPECT_EQ(model.at("pseudocosts"), 2);
  EXPECT_EQ(model.at("training").at("data").at("states"), 1000);
}

// A title is set, a screen cleared, by bytes alone.
TEST(InspectModel, NothingInAModelSpeaksToTheTerminal) {
  const TemporaryDirectory directory;
  Model model = recorded_model();
  model.training = R"({"note\u001b[2J": "a\u001b]0;title\u0007b\u007f"})";
  write_file(directory.path() / "model.safetensors", model_bytes(model));
  const Finished text = run_program(words_of("bough inspect model.safetensors"), directory.path());
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("note?[2J"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("a?]0;title?b?"), std::string::npos) << text.out;
  EXPECT_TRUE(std::ranges::none_of(text.out, [](char c) { return c == '\x1b' || c == '\a' || c == '\x7f'; }));
}

struct Hostile {
  const char* what;
  std::function<std::string()> bytes;  ///< of the file
  const char* says;
};
void PrintTo(const Hostile& hostile, std::ostream* out) { *out << hostile.what; }

std::string good_bytes() { return model_bytes(recorded_model()); }

std::string with_metadata(const std::string& from, const std::string& to) {
  std::string bytes = good_bytes();
  const auto at = bytes.find(from);
  if (at == std::string::npos || from.size() != to.size()) throw std::logic_error("the metadata is not as this test thinks");
  return bytes.replace(at, from.size(), to);
}

std::string with_weight(float weight) {
  Model model = recorded_model();
  model.tensors.at("head.0.weight")[3] = weight;
  return model_bytes(model);
}

/// The header is JSON behind its length in eight bytes; its values are texts that are JSON again.
std::string with_deep_architecture() {
  const std::string bytes = good_bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string weights = bytes.substr(8 + length);
  auto header = nlohmann::ordered_json::parse(bytes.substr(8, length));
  header["__metadata__"]["architecture"] = R"({"network": "gcnn", "d": )" + std::string(300'000, '[') + std::string(300'000, ']') + "}";
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  length = text.size();
  std::string result(8, ' ');
  std::memcpy(result.data(), &length, sizeof length);
  return result + text + weights;
}

class HostileModel : public testing::TestWithParam<Hostile> {};

TEST_P(HostileModel, IsRefusedWithOneMessageBeforeTheSolveStarts) {
  const TemporaryDirectory directory;
  write_file(directory.path() / "small.lp", "Maximize\n obj: x\nSubject To\n c: 2 x <= 3\nGenerals\n x\nEnd\n");
  write_file(directory.path() / "model.safetensors", GetParam().bytes());
  for (const char* command : {"bough solve small.lp --policy model.safetensors", "bough inspect model.safetensors"}) {
    const Finished finished = run_program(words_of(command), directory.path());
    EXPECT_EQ(finished.exit_code, 65) << command << "\n" << finished.err;
    EXPECT_EQ(finished.out, "") << command;
    EXPECT_TRUE(finished.err.starts_with("bough: model.safetensors: ")) << finished.err;
    EXPECT_NE(finished.err.find(GetParam().says), std::string::npos) << finished.err;
    EXPECT_LE(std::ranges::count(finished.err, '\n'), 2) << "a message and a hint: " << finished.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, HostileModel,
                         testing::Values(Hostile{"empty", [] { return std::string(); }, "model.safetensors"},
                                         Hostile{"truncated", [] { return good_bytes().substr(0, 4000); }, "model.safetensors"},
                                         Hostile{"garbage", [] { return std::string(5000, '\x5a'); }, "model.safetensors"},
                                         Hostile{"other_schema", [] { return with_metadata("bough-model/1", "bough-model/9"); }, "this build reads \"bough-model/1\""},
                                         Hostile{"other_features", [] { return with_metadata("gasse-19-5-1/1", "gasse-19-5-1/9"); }, "this build observes"},
                                         Hostile{"deep_architecture", with_deep_architecture, "d = array, expected a whole number"},
                                         Hostile{"nan_weight", [] { return with_weight(std::numeric_limits<float>::quiet_NaN()); }, "\"head.0.weight\" has the value nan"},
                                         Hostile{"infinite_weight", [] { return with_weight(std::numeric_limits<float>::infinity()); }, "\"head.0.weight\" has the value inf"}),
                         [](const auto& hostile) { return hostile.param.what; });

}  // namespace
}  // namespace bough::test
