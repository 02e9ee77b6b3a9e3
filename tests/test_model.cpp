// SPDX-License-Identifier: Apache-2.0
//
// Model files: what they hold, that they come back, and what happens to files that are not models.
#include "bough/model/model.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include "bough/error.hpp"
#include "bough/file.hpp"
#include "bough/model/scorer.hpp"
#include "tests/editable.hpp"
#include "tests/models.hpp"
#include "tests/reference.hpp"

namespace bough::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Model round_trip(const Model& model) { return model_from(SafeTensors::parse(model_bytes(model), "model")); }

/// The message of the Error that `action` throws; "accepted" if it throws none.
std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string complaint_about(const std::string& bytes) {
  return complaint([&] { (void)model_from(SafeTensors::parse(bytes, "bad.safetensors")); });
}

class EveryArchitecture : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Model, EveryArchitecture, testing::ValuesIn(all_architectures()), [](const auto& test) { return name_of(test.param); });

TEST_P(EveryArchitecture, ComesBackFromItsBytesAsItWas) {
  Model model = random_model(GetParam(), 1);
  model.training = R"({"seed": 7, "accuracy": [0.5]})";
  model.pseudocosts = 0.1;
  const Model again = round_trip(model);
  EXPECT_EQ(again.pseudocosts, model.pseudocosts);
  EXPECT_EQ(again.training, model.training);
  EXPECT_TRUE(again.tensors == model.tensors);
  EXPECT_EQ(model_bytes(again), model_bytes(model)) << "equal models have equal bytes";
  // What a network does not have is not stored, and need not come back.
  EXPECT_EQ(architecture_json(again.architecture), architecture_json(model.architecture));
  EXPECT_EQ(again.architecture.d, GetParam().d);
  if (GetParam().attends()) {
    EXPECT_EQ(again.architecture.heads, GetParam().heads);
    EXPECT_EQ(again.architecture.attention, GetParam().attention);
  }
  EXPECT_TRUE(!GetParam().remembers() || again.architecture.memory == GetParam().memory);
}

TEST_P(EveryArchitecture, HasTensorsWithDistinctNamesAndTheFileHasNoOthers) {
  std::set<std::string> names;
  for (const TensorSpec& spec : tensors_of(GetParam())) EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
  const SafeTensors file = SafeTensors::parse(model_bytes(random_model(GetParam(), 1)), "model");
  EXPECT_TRUE(std::ranges::equal(file.tensors() | std::views::keys, names));
}

TEST(Model, DiffersInItsBytesIfAnythingDiffers) {
  const Model model = random_model({Network::tgat, 16, 2, 2, Attention::sum}, 1);
  Model other = model;
  other.tensors.at("gru.hidden.bias")[47] += 1;
  EXPECT_NE(model_bytes(other), model_bytes(model));
  other = model;
  other.training = R"({"seed": 1})";
  EXPECT_NE(model_bytes(other), model_bytes(model));
  other = model;
  other.pseudocosts = 2;
  EXPECT_NE(model_bytes(other), model_bytes(model));
  other = model;
  other.architecture.memory = 3;  // the same tensors
  EXPECT_NE(model_bytes(other), model_bytes(model));
}

// gcnn, d = 64:   variables 64 * 19 + 64 + 64 * 64 + 64 = 5440, rows 64 * 5 + 64 + 4160 = 4544,
//                 a half layer: target 4160, source 4096, edge 64, post 64 * 128 + 64 = 8256 and 4160: 20736; head 4160 + 64
// gat, d = 16, H = 3, sum:   592 + 368 + edge.embed 32,
//                 a half layer: target and source 48 * 16 + 48 = 816 each, edge 768, attention 48, post 528 and 272: 3248; head 272 + 16
// tgat, d = 32, H = 2, concat:   1696 + 1248 + 64,
//                 a half layer: 2112 + 2112 + 2048 + 2 * 64 + 2080 + 1056 = 9536; gru 2 * (96 * 32 + 96) = 6336; head 1056 + 32
TEST(Architecture, HasAsManyParametersAsAreCountedByHand) {
  EXPECT_EQ(n_parameters({Network::gcnn, 64}), 5440U + 4544 + 2 * 20736 + 4224);
  EXPECT_EQ(n_parameters({Network::gat, 16, 3, 1, Attention::sum}), 592U + 368 + 32 + 2 * 3248 + 288);
  EXPECT_EQ(n_parameters({Network::tgat, 32, 2, 4, Attention::concat}), 1696U + 1248 + 64 + 2 * 9536 + 6336 + 1088);
  EXPECT_EQ(n_parameters({Network::tgat, 32, 2, 64, Attention::concat}), n_parameters({Network::tgat, 32, 2, 1, Attention::concat})) << "a longer memory has no weights";
}

TEST(Architecture, ListsTheTensorsOfTheDocument) {
  std::map<std::string, std::vector<std::size_t>> shapes;
  std::set<std::string> statistics;
  for (const TensorSpec& spec : tensors_of({Network::tgat, 16, 3, 2, Attention::concat})) {
    shapes[spec.name] = spec.shape;
    if (!spec.trained) statistics.insert(spec.name);
  }
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(shapes.at("variable.embed.0.weight"), (Shape{16, 19}));
  EXPECT_EQ(shapes.at("row.embed.0.weight"), (Shape{16, 5}));
  EXPECT_EQ(shapes.at("edge.embed.weight"), (Shape{16, 1}));
  EXPECT_EQ(shapes.at("rows.target.weight"), (Shape{48, 16}));
  EXPECT_EQ(shapes.at("variables.source.bias"), (Shape{48}));
  EXPECT_EQ(shapes.at("variables.edge.weight"), (Shape{48, 16}));
  EXPECT_EQ(shapes.at("rows.attention.edge"), (Shape{3, 16}));
  EXPECT_EQ(shapes.at("rows.post.0.weight"), (Shape{16, 32}));
  EXPECT_EQ(shapes.at("gru.hidden.weight"), (Shape{48, 16}));
  EXPECT_EQ(shapes.at("head.1.weight"), (Shape{1, 16}));
  EXPECT_FALSE(shapes.contains("head.1.bias"));
  EXPECT_EQ(statistics, (std::set<std::string>{"variable.mean", "variable.std", "row.mean", "row.std", "edge.mean", "edge.std", "rows.gathered.mean", "rows.gathered.std",
                                               "variables.gathered.mean", "variables.gathered.std"}));
}

TEST(Architecture, IsReadFromItsOwnText) {
  for (const Architecture& a : all_architectures()) {
    const std::string text = architecture_json(a);
    EXPECT_EQ(architecture_json(architecture_from_json(text, "model")), text);
  }
  EXPECT_EQ(architecture_json({Network::gcnn, 64}), R"({"network":"gcnn","d":64})");
  EXPECT_EQ(architecture_from_json(R"({"memory": 3, "network": "tgat", "heads": 1, "attention": "sum", "d": 48})", "model"), (Architecture{Network::tgat, 48, 1, 3, Attention::sum}));
}

TEST(Architecture, OutOfRangeIsRefusedWithTheValue) {
  const auto refusal = [](Architecture a) { return complaint([&] { validate(a, "x.toml"); }); };
  EXPECT_EQ(refusal({Network::gcnn, 0}), "x.toml: d = 0, expected 16 to 256");
  EXPECT_EQ(refusal({Network::gcnn, -16}), "x.toml: d = -16, expected 16 to 256");
  EXPECT_EQ(refusal({Network::gcnn, 24}), "x.toml: d = 24, expected a multiple of 16");
  EXPECT_EQ(refusal({Network::gcnn, 272}), "x.toml: d = 272, expected 16 to 256");
  EXPECT_EQ(refusal({Network::gat, 16, 0}), "x.toml: heads = 0, expected 1 to 16");
  EXPECT_EQ(refusal({Network::gat, 16, 17}), "x.toml: heads = 17, expected 1 to 16");
  EXPECT_EQ(refusal({Network::tgat, 16, 1, 0}), "x.toml: memory = 0, expected 1 to 64");
  EXPECT_EQ(refusal({Network::tgat, 16, 1, 65}), "x.toml: memory = 65, expected 1 to 64");
  EXPECT_EQ(refusal({Network::tgat, 256, 16, 64}), "accepted");
}

TEST(Model, OfTheLargestArchitectureFitsTheLimitOfTheReader) { EXPECT_LT(n_parameters({Network::tgat, 256, 16, 64, Attention::concat}) * sizeof(float), std::size_t{63} << 20U); }

std::string small_model() { return model_bytes(random_model({Network::tgat, 16, 1, 2, Attention::concat}, 1)); }

TEST(Model, WithoutAnyOneOfItsTensorsIsRefusedByName) {
  for (const Attention attention : {Attention::sum, Attention::concat}) {
    const Editable good(model_bytes(random_model({Network::tgat, 16, 1, 2, attention}, 1)));
    ASSERT_EQ(complaint_about(good.bytes()), "accepted");
    for (const auto& name : good.tensors | std::views::keys) {
      Editable bad = good;
      bad.tensors.erase(name);
      const std::string text = complaint_about(bad.bytes());
      EXPECT_TRUE(text.contains(name) && text.starts_with("bad.safetensors: ")) << text;
    }
  }
}

TEST(Model, WithANumberThatIsNotFiniteInAnyTensorIsRefusedByName) {
  const Editable good(small_model());
  for (const auto& [name, tensor] : good.tensors) {
    Editable bad = good;
    bad.set(name, tensor.data.size() / sizeof(float) - 1, name < "h" ? nan : -infinity);
    const std::string text = complaint_about(bad.bytes());
    EXPECT_TRUE(text.contains('"' + name + "\" has the value ")) << text;
  }
}

TEST(Model, CutAnywhereIsRefused) {
  const std::string good = small_model();
  for (std::size_t n = 0; n < good.size(); n += n < 4'000 ? 61 : 997) EXPECT_TRUE(complaint_about(good.substr(0, n)).starts_with("bad.safetensors: ")) << n;
  EXPECT_NE(complaint_about(good.substr(0, good.size() - 1)), "accepted");
}

/// One kind of damage to a good file, and words that the message must have.
struct Damage {
  std::string name;
  std::function<std::string(std::string)> inflict;
  std::vector<std::string> words;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

Damage edited(std::string name, std::function<void(Editable&)> edit, std::vector<std::string> words) {
  return {std::move(name),
          [edit](const std::string& bytes) {
            Editable file(bytes);
            edit(file);
            return file.bytes();
          },
          std::move(words)};
}

Damage with_metadata(std::string name, const std::string& key, const std::string& value, std::vector<std::string> words) {
  return edited(std::move(name), [=](Editable& e) { e.metadata[key] = value; }, std::move(words));
}

Damage with_architecture(std::string name, const std::string& value, std::vector<std::string> words) { return with_metadata(std::move(name), "architecture", value, std::move(words)); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string with_length(std::string bytes, std::uint64_t length) {
  const auto field = std::bit_cast<std::array<char, 8>>(length);
  return bytes.replace(0, 8, field.data(), field.size());
}

std::string tgat_with(const std::string& d, const std::string& heads = "1", const std::string& memory = "2") {
  return R"({"network":"tgat","d":)" + d + R"(,"heads":)" + heads + R"(,"attention":"concat","memory":)" + memory + "}";
}

std::string repeated(const std::string& text, int n) {
  std::string all;
  for (int k = 0; k < n; ++k) all += text;
  return all;
}

std::vector<Damage> damages() {
  const auto header_end = [](const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    return 8 + length;
  };
  return {
      {"Empty", [](std::string) { return std::string(); }, {"header"}},
      {"Garbage", [](std::string) { return std::string(5'000, '\x5a'); }, {"header"}},
      {"CutInTheLength", [](std::string b) { return b.substr(0, 5); }, {"header"}},
      {"CutInTheHeader", [=](std::string b) { return b.substr(0, header_end(b) / 2); }, {"header"}},
      {"CutAfterTheHeader", [=](std::string b) { return b.substr(0, header_end(b)); }, {"bytes of data"}},
      {"CutInTheData", [](std::string b) { return b.substr(0, b.size() - 400); }, {"bytes of data"}},
      {"BytesAfterTheData", [](std::string b) { return b + "tail"; }, {"belong to no tensor"}},
      {"HeaderOfTwoToThe63", [](std::string b) { return with_length(b, std::uint64_t{1} << 63U); }, {"header"}},
      {"HeaderOf99MB", [](std::string b) { return with_length(b, 99'000'000); }, {"header"}},
      {"OverlappingTensors", [](std::string b) { return replaced(b, R"("data_offsets":[64,)", R"("data_offsets":[60,)"); }, {"data_offsets"}},
      {"HeaderThatIsNotJson", [](std::string b) { return replaced(b, "{\"__metadata__\"", "{\"__metadata__:"); }, {"header"}},
      edited("WrongShape", [](Editable& e) { e.tensors.at("gru.input.weight").shape = {16, 48}; }, {"gru.input.weight", "(48, 16)", "(16, 48)"}),
      edited("WrongRank", [](Editable& e) { e.tensors.at("head.1.weight").shape = {16}; }, {"head.1.weight", "(1, 16)", "(16)"}),
      edited("AnotherWidth", [](Editable& e) { e.metadata["architecture"] = tgat_with("32"); }, {"expected"}),
      edited("HalfPrecision", [](Editable& e) { e.tensors.at("head.0.bias") = {DType::bf16, {16}, std::string(32, '\0')}; }, {"head.0.bias", "BF16", "F32"}),
      edited("IntegersOfTheSameSize", [](Editable& e) { e.tensors.at("head.0.bias").dtype = DType::i32; }, {"head.0.bias", "I32", "F32"}),
      edited("ExtraTensor", [](Editable& e) { e.tensors["surprise"] = {DType::f32, {1}, "1234"}; }, {"surprise", "does not belong"}),
      edited("TensorOfTheOtherAttention", [](Editable& e) { e.tensors["rows.attention"] = e.tensors.at("rows.attention.edge"); }, {"rows.attention", "does not belong"}),
      edited("NaN", [](Editable& e) { e.set("rows.post.0.weight", 3, nan); }, {"rows.post.0.weight", "nan", "at 3"}),
      edited("Infinity", [](Editable& e) { e.set("head.1.weight", 15, infinity); }, {"head.1.weight", "inf", "at 15"}),
      edited("InfiniteMean", [](Editable& e) { e.set("edge.mean", 0, -infinity); }, {"edge.mean", "-inf"}),
      edited("DeviationZero", [](Editable& e) { e.set("variable.std", 18, 0.0F); }, {"variable.std", "deviation below"}),
      edited("DeviationMinusZero", [](Editable& e) { e.set("row.std", 0, -0.0F); }, {"row.std", "deviation below"}),
      edited("DeviationNegative", [](Editable& e) { e.set("edge.std", 0, -1.0F); }, {"edge.std", "deviation below"}),
      with_metadata("OtherSchema", "schema", "bough-model/2", {"bough-model/2", "bough-model/1"}),
      with_metadata("SchemaOfSamples", "schema", "bough-episode/1", {"bough-episode/1", "bough-model/1"}),
      with_metadata("OtherFeatures", "features", "gasse-17-5-1/1", {"gasse-17-5-1/1", "gasse-19-5-1/1"}),
      edited("NoSchema", [](Editable& e) { e.metadata.erase("schema"); }, {"not a model", "schema"}),
      edited("NoFeatures", [](Editable& e) { e.metadata.erase("features"); }, {"not a model", "features"}),
      edited("NoArchitecture", [](Editable& e) { e.metadata.erase("architecture"); }, {"not a model", "architecture"}),
      edited("NoTraining", [](Editable& e) { e.metadata.erase("training"); }, {"not a model", "training"}),
      edited("NothingAtAll", [](Editable& e) { e.metadata.clear(), e.tensors.clear(); }, {"not a model"}),
      with_architecture("ArchitectureEmpty", "", {"architecture cannot be read"}),
      with_architecture("ArchitectureCut", R"({"network":"tgat","d":)", {"architecture cannot be read"}),
      with_architecture("ArchitectureAList", "[1, 2]", {"architecture cannot be read"}),
      with_architecture("ArchitectureNull", "null", {"architecture cannot be read"}),
      with_architecture("ArchitectureWithoutD", R"({"network":"gcnn"})", {"architecture cannot be read", "'d'"}),
      with_architecture("ArchitectureWithoutMemory", R"({"network":"tgat","d":16,"heads":1,"attention":"sum"})", {"architecture cannot be read", "'memory'"}),
      with_architecture("NetworkUnknown", R"({"network":"mlp","d":16})", {"\"mlp\"", "gcnn, gat, tgat"}),
      with_architecture("NetworkANumber", R"({"network":3,"d":16})", {"architecture cannot be read"}),
      with_architecture("AttentionUnknown", R"({"network":"gat","d":16,"heads":1,"attention":"dot"})", {"\"dot\"", "sum, concat"}),
      with_architecture("D24", tgat_with("24"), {"d = 24", "multiple of 16"}),
      with_architecture("D0", tgat_with("0"), {"d = 0"}),
      with_architecture("DHuge", tgat_with("1073741824"), {"d = 1073741824"}),
      with_architecture("DAString", tgat_with("\"16\""), {"d = ", "whole number"}),
      with_architecture("DOf16AndTwoToThe32", tgat_with("4294967312"), {"d"}),
      with_architecture("DAFraction", tgat_with("16.5"), {"d"}),
      with_architecture("DOutsideOfAnyInteger", tgat_with("1e300"), {"d"}),
      with_architecture("HeadsTrue", tgat_with("16", "true"), {"heads"}),
      with_architecture("MemoryOfTwoAndTwoToThe32", tgat_with("16", "1", "4294967298"), {"memory"}),
      with_architecture("NetworkWithAnEndlessName", R"({"d":16,"network":")" + std::string(100'000, 'x') + "\"}", {"network"}),
      with_architecture("Heads0", tgat_with("16", "0"), {"heads = 0"}),
      with_architecture("HeadsNegative", tgat_with("16", "-1"), {"heads = -1"}),
      with_architecture("MemoryOfABillion", tgat_with("16", "1", "1000000000"), {"memory = 1000000000"}),
      with_architecture("ArchitectureOfAMillionBrackets", std::string(1'000'000, '['), {"architecture cannot be read"}),
      with_architecture("ArchitectureOfTwoMegabytes", std::string(2'000'000, '['), {"architecture has 2000000 bytes"}),
      with_metadata("PseudocostsNegative", "pseudocosts", "-1", {"pseudocosts", "-1", "0 to 16"}),
      with_metadata("PseudocostsNaN", "pseudocosts", "nan", {"pseudocosts", "nan"}),
      with_metadata("PseudocostsTooMuch", "pseudocosts", "16.5", {"pseudocosts", "16.5"}),
      with_metadata("PseudocostsEmpty", "pseudocosts", "", {"pseudocosts"}),
      with_metadata("PseudocostsAWord", "pseudocosts", "2x", {"pseudocosts", "2x"}),
      with_metadata("PseudocostsWithoutEnd", "pseudocosts", std::string(100'000, '1'), {"pseudocosts"}),
      with_metadata("TrainingAList", "training", "[]", {"training record"}),
      with_metadata("TrainingAString", "training", "\"{}\"", {"training record"}),
      with_metadata("TrainingEmpty", "training", "", {"training record"}),
      with_metadata("TrainingCut", "training", R"({"a": )", {"training record"}),
      with_metadata("TrainingOfAMillionBrackets", "training", std::string(1'000'000, '['), {"training record"}),
      with_metadata("TrainingOfManyClosedBrackets", "training", std::string(500'000, '[') + std::string(500'000, ']'), {"training record"}),
      with_metadata("TrainingOfManyObjectsNotClosed", "training", repeated("{\"a\":", 200'000), {"training record"}),
      with_metadata("TrainingOfMoreThanAMegabyte", "training", "{\"a\":\"" + std::string(1'100'000, 'x') + "\"}", {"training record has 1100008 bytes"}),
  };
}

class DamagedModel : public testing::TestWithParam<Damage> {};
INSTANTIATE_TEST_SUITE_P(Model, DamagedModel, testing::ValuesIn(damages()), [](const auto& test) { return test.param.name; });

TEST_P(DamagedModel, IsRefusedWithTheFilesNameAndWhatIsWrong) {
  const std::string bytes = GetParam().inflict(small_model());
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const std::string text = complaint_about(bytes);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_TRUE(text.starts_with("bad.safetensors: ")) << text;
  for (const std::string& words : GetParam().words) EXPECT_TRUE(text.contains(words)) << text;
  EXPECT_LT(text.size(), 1'000U) << "a message is for people";
  // A file of a few megabytes at most; nothing in it makes the reader take much more.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 128'000) << "kB more at the peak";
}

TEST(Model, WithATrainingRecordThatIsNestedWithoutEndIsRefused) {
  Model model = random_model({Network::gcnn, 16}, 1);
  model.training = repeated("{\"a\":", 20) + "1" + std::string(20, '}');
  EXPECT_EQ(round_trip(model).training, model.training);
  model.training = repeated("{\"a\":", 100'000) + "1" + std::string(100'000, '}');
  EXPECT_THROW(round_trip(model), Error);
}

// Written once from random_model(recorded_architecture(network), 2026); the logits are those of tests/reference.cpp at that time, at the
// decisions 0 and 1 for tgat, at 1 alone for the others.
TEST(Model, FilesOfTheFirstVersionStillLoadAndMeanTheSame) {
  const std::map<Network, std::vector<double>> recorded{
      {Network::gcnn, {-0.126778696, -0.519035966, -0.604181023, -0.495712955, -0.417415878, -0.141074299}},
      {Network::gat, {-0.466400139, -0.426193984, -0.447459726, -0.506649737, -0.434182904, -0.463969967}},
      {Network::tgat, {0.548946432, 0.610814483, 0.757977939, 0.546133598, 0.640612214, 0.580854981}}};
  for (const auto& [network, logits] : recorded) {
    const std::string name(network_names[static_cast<std::size_t>(network)]);
    SCOPED_TRACE(name);
    const Model model = read_model(std::filesystem::path(BOUGH_SOURCE_DIR) / ("tests/data/model-1-" + name + ".safetensors"));
    EXPECT_EQ(architecture_json(model.architecture), architecture_json(recorded_architecture(network)));
    EXPECT_EQ(model.training, R"({"note": "random weights"})");
    EXPECT_EQ(model.pseudocosts, 0);
    const BipartiteGraph before = fixed_graph(0);
    const BipartiteGraph now = fixed_graph(1);
    const std::vector<std::int32_t> all{0, 1, 2, 3, 4, 5};
    std::vector<const BipartiteGraph*> history{&now};
    if (model.architecture.remembers()) history.insert(history.begin(), &before);
    const std::vector<double> reference = reference_logits(model, history, all);
    Scorer scorer(model);
    std::vector<float> scores(all.size());
    scorer.score(before, 1, all, scores);
    scorer.score(now, 1, all, scores);
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_NEAR(reference[k], logits[k], 1e-7);
      EXPECT_NEAR(scores[k], logits[k], 2e-5) << "in float";
    }
  }
}

TEST(Model, IsReadFromItsFileAndAMissingFileIsAnError) {
  const TemporaryDirectory directory;
  const Model model = random_model({Network::gat, 16, 1, 1, Attention::sum}, 3);
  write_file(directory.path() / "m.safetensors", model_bytes(model));
  EXPECT_TRUE(read_model(directory.path() / "m.safetensors").tensors == model.tensors);
  try {
    (void)read_model(directory.path() / "none.safetensors");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::missing_input);
    EXPECT_TRUE(std::string(error.what()).contains("none.safetensors")) << error.what();
  }
  write_file(directory.path() / "large", std::string((std::size_t{64} << 20U) + 1, '\0'));
  EXPECT_TRUE(complaint([&] { (void)read_model(directory.path() / "large"); }).contains("large")) << "not read to its end";
}

}  // namespace
}  // namespace bough::test
