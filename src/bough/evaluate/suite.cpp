// SPDX-License-Identifier: Apache-2.0
#include "bough/evaluate/suite.hpp"

#include <algorithm>
#include <cmath>
#include <format>
#include <set>

#include "bough/branch/policies.hpp"
#include "bough/branch/rule.hpp"
#include "bough/error.hpp"
#include "bough/foreign_text.hpp"
#include "bough/toml.hpp"

namespace bough {
namespace {

namespace fs = std::filesystem;

class SuiteReader {
 public:
  explicit SuiteReader(const fs::path& path) : path_(path), table_(read_toml(path)), reader_(table_, path.string()) {}

  Suite read() {
    require_utf8(path_.filename());
    suite_.name = path_.stem().string();
    reader_("name", suite_.name);
    reader_("note", suite_.note);
    read_settings();
    if (const toml::node* seeds = reader_.find("seeds")) suite_.seeds = read_seeds(*seeds);
    reader_.each("policies", reader_.need("policies"), [&](const toml::node& node) { add_policy(node); });
    if (suite_.policies.empty()) reader_.refuse(reader_.need("policies"), "no policies");
    reader_("statistics", suite_.statistics);
    reader_("calibration", suite_.calibration);
    if (const toml::node* explain = reader_.find("explain")) read_explain(*explain);
    reader_.each("group", reader_.need("group"), [&](const toml::node& node) { add_group(node); });
    if (suite_.groups.empty()) reader_.refuse(reader_.need("group"), "no groups");
    reader_.refuse_others();
    return std::move(suite_);
  }

 private:
  fs::path beside(const std::string& relative) const { return (path_.parent_path() / relative).lexically_normal(); }

  std::string name_of_folder(const std::string& relative) const { return fs::weakly_canonical(beside(relative)).filename().string(); }

  void read_settings() {
    Settings& settings = suite_.settings;
    reader_("settings", settings.preset);
    if (find_preset(settings.preset) == nullptr) {
      const toml::node& node = reader_.need("settings");
      settings.preset = beside(settings.preset).string();
      if (std::error_code unreachable; !fs::exists(settings.preset, unreachable)) {
        reader_.refuse(node, std::format("no settings \"{}\", and no such file", settings.preset), "there are default, paper and ml4co, or give a .set file");
      }
    }
    double limit = 0;
    reader_.take("time_limit", reader_.need("time_limit"), limit);
    if (!(limit > 0 && limit <= longest_time_limit_s)) reader_.refuse(reader_.need("time_limit"), "time_limit: expected a positive number of seconds");
    settings.time_limit_s = limit;
    if (const toml::node* node = reader_.find("memory_limit")) {
      double megabytes = 0;
      reader_.take("memory_limit", *node, megabytes);
      if (!(megabytes > 0 && megabytes <= 1e9)) reader_.refuse(*node, "memory_limit: expected a positive number of megabytes");
      settings.memory_limit_mb = megabytes;
    }
    settings.overrides = read_parameters(reader_);
    const toml::node* scip = reader_.find("scip");
    reader_.at(scip != nullptr ? *scip : table_, [&] { try_settings(settings, [](SCIP* with) { include_rule(with); }); });  // names and values; who they are for, add_policy()
  }

  /// SCIP parameters under the key "scip"; none without it.
  static ScipParameters read_parameters(TomlReader& table) {
    ScipParameters parameters;
    const toml::node* node = table.find("scip");
    if (node == nullptr) return parameters;
    for (const auto& [name, value] : table.table("scip", *node).raw()) {
      std::string text;
      if (value.is_string()) table.take(name.str(), value, text);
      else if (!value.is_boolean() && !value.is_number()) table.refuse(value, std::format("scip: {} is neither text nor a number nor true or false", name.str()));
      else text = value.is_boolean() ? (*value.value<bool>() ? "TRUE" : "FALSE") : value.is_integer() ? std::to_string(*value.value<std::int64_t>()) : std::format("{}", value.value_or(0.0));
      parameters.emplace_back(name.str(), text);
    }
    return parameters;
  }

  static constexpr std::uint32_t largest_seed = 2147483647;
  [[noreturn]] void refuse_seeds(const toml::node& node) const { reader_.refuse(node, std::format("seeds: expected numbers from 0 to {}", largest_seed)); }

  std::vector<std::uint32_t> read_seeds(const toml::node& node) {
    std::vector<std::uint32_t> seeds;
    if (node.is_string()) {
      SeedRange range;
      reader_.at(node, [&] { parse_seeds(*node.value<std::string>(), "seeds", range); });
      if (range.last > largest_seed) refuse_seeds(node);
      for (std::uint64_t seed = range.first; seed <= range.last; ++seed) seeds.push_back(static_cast<std::uint32_t>(seed));
    } else {
      reader_.each("seeds", node, [&](const toml::node& element) {
        std::uint32_t seed = 0;
        reader_.take("seeds", element, seed);
        seeds.push_back(seed);
      });
    }
    if (seeds.empty() || std::ranges::any_of(seeds, [](std::uint32_t seed) { return seed > largest_seed; })) refuse_seeds(node);
    if (std::set(seeds.begin(), seeds.end()).size() != seeds.size()) reader_.refuse(node, "seeds: one is given twice");
    return seeds;
  }

  void add_policy(const toml::node& node) {
    SuitePolicy policy;
    if (node.is_string()) {
      policy.name = policy.source = *node.value<std::string>();
    } else {
      TomlReader entry = reader_.table("policies", node);
      entry.take("name", entry.need("name"), policy.name);
      if (const toml::node* model = entry.find("model")) {
        entry.take("model", *model, policy.source);
        policy.source = beside(policy.source).string();
      } else {
        entry.take("rule", entry.need("rule"), policy.source);
      }
      policy.scip = read_parameters(entry);
      entry.refuse_others();
    }
    if (node.is_string() && is_model_file(policy.source)) {
      reader_.refuse(node, std::format("{} is a model file and needs a name", policy.source), "write { name = \"tgat\", model = \"...\" }");
    }
    if (std::ranges::contains(suite_.policies, policy.name, &SuitePolicy::name)) reader_.refuse(node, std::format("two policies are called \"{}\"", policy.name));
    reader_.at(node, [&] {
      const std::string rule(make_policy(policy.source, 0)->scip_rule());
      for (const char* decided : {"limits/time", "limits/memory", "branching/bough/model"}) {
        if (std::ranges::contains(policy.scip, decided, &ScipParameters::value_type::first)) reader_.refuse(node, std::format("{} has {} of its own", policy.name, decided), "limits are the suite's, and a model is the policy's");
      }
      if (!rule.empty()) {
        for (const auto& [name, value] : policy.scip) {
          if (name.starts_with(own_parameters)) reader_.refuse(node, std::format("{} is one of SCIP's own rules and has {}", policy.name, name), "that is a parameter of trained policies");
        }
      }
      try_settings(settings_of(suite_, policy), [&](SCIP* with) { if (rule.empty()) include_rule(with); }, [&](SCIP* with) { rule.empty() ? use_bough(with) : use_rule(with, rule); });
    });
    suite_.policies.push_back(std::move(policy));
  }

  void check_policy(const toml::node& node, const std::string& name) const {
    if (!std::ranges::contains(suite_.policies, name, &SuitePolicy::name)) reader_.refuse(node, std::format("\"{}\" is not among the suite's policies", name));
  }

  void read_explain(const toml::node& node) {
    TomlReader explain = reader_.table("explain", node);
    explain.take("policy", explain.need("policy"), suite_.explained_policy);
    suite_.n_explained = 12;
    explain("decisions", suite_.n_explained);
    explain.refuse_others();
    check_policy(node, suite_.explained_policy);
    if (suite_.n_explained < 1 || suite_.n_explained > 1000) reader_.refuse(node, "decisions: expected 1 to 1000");
    const auto policy = std::ranges::find(suite_.policies, suite_.explained_policy, &SuitePolicy::name);
    if (!make_policy(policy->source, 0)->scip_rule().empty()) reader_.refuse(node, std::format("{} is one of SCIP's own rules: its decisions cannot be explained", policy->name));
  }

  /// Published data is converted into files that are named by family and instance: two of one name would become one.
  void refuse_shared_names(const toml::node& node, const SuiteGroup& group) const {
    if (!group.from_data) return;
    std::set<std::string> names;
    for (const SuiteGroup& other : suite_.groups) {
      if (!other.from_data || other.family != group.family) continue;
      for (const Instance& instance : other.instances) names.insert(instance.name);
    }
    for (const Instance& instance : group.instances) {
      if (!names.insert(instance.name).second) reader_.refuse(node, std::format("two instances of {} are called \"{}\"", group.family, instance.name), "rename one of the files");
    }
  }

  void add_group(const toml::node& node) {
    TomlReader entry = reader_.table("group", node);
    SuiteGroup group;
    entry("family", group.family);
    if (!group.family.empty()) reader_.at(node, [&] { (void)family_by_name(group.family); });
    if (const toml::node* folder = entry.find("folder")) {
      std::string path;
      entry.take("folder", *folder, path);
      group.instances = reader_.at(*folder, [&] { return instances_in(beside(path)); });
      group.name = name_of_folder(path);
    } else if (const toml::node* data = entry.find("data")) {
      std::string path;
      entry.take("data", *data, path);
      if (group.family.empty() || family_by_name(group.family).from_data == nullptr) reader_.refuse(*data, "data: needs a family that has a published data format");
      group.instances = reader_.at(*data, [&] { return data_in(beside(path)); });
      group.from_data = true;
      group.name = name_of_folder(path);
    } else {
      if (group.family.empty()) reader_.refuse(node, "a group needs a family, a folder or data");
      SeedRange seeds{.family = group.family};
      entry("size", seeds.size, size_names);
      std::string range;
      entry.take("instances", entry.need("instances"), range);
      reader_.at(entry.need("instances"), [&] { parse_seeds(range, "instances", seeds); });
      if (const toml::node* parameters = entry.find("parameters")) {
        for (const auto& [name, value] : entry.table("parameters", *parameters).raw()) entry.take(name.str(), value, group.parameters[std::string(name.str())]);
        reader_.at(*parameters, [&] { (void)resolve_parameters(family_by_name(group.family), seeds.size, group.parameters); });
        seeds.parameters = group.parameters;
      }
      group.instances = instances_of(seeds);
      group.size = size_names[static_cast<std::size_t>(seeds.size)];
      group.name = std::format("{}-{}", group.family, group.size);
    }
    entry("name", group.name);
    if (const toml::node* policies = entry.find("policies")) {
      entry.each("policies", *policies, [&](const toml::node& element) {
        std::string name;
        entry.take("policies", element, name);
        check_policy(element, name);
        if (std::ranges::contains(group.policies, name)) entry.refuse(element, std::format("policies: \"{}\" is given twice", name));
        group.policies.push_back(name);
      });
      if (group.policies.empty()) entry.refuse(*policies, "no policies");
    } else {
      for (const SuitePolicy& policy : suite_.policies) group.policies.push_back(policy.name);
    }
    if (const toml::node* seeds = entry.find("seeds")) {
      group.seeds = read_seeds(*seeds);
      for (const std::uint32_t seed : group.seeds) {
        if (!std::ranges::contains(suite_.seeds, seed)) entry.refuse(*seeds, std::format("seed {} is not among the suite's", seed));
      }
    }
    if (const toml::node* optima = entry.find("optima")) {
      for (const auto& [name, value] : entry.table("optima", *optima).raw()) {
        if (!std::ranges::contains(group.instances, std::string(name.str()), &Instance::name)) entry.refuse(value, std::format("optima: the group has no instance \"{}\"", name.str()));
        double& optimum = group.optima[std::string(name.str())];
        entry.take(name.str(), value, optimum);
        if (!std::isfinite(optimum)) entry.refuse(value, std::format("optima: {} is not a number that an optimum can be", optimum));
      }
    }
    entry.refuse_others();
    refuse_shared_names(node, group);
    if (std::ranges::contains(suite_.groups, group.name, &SuiteGroup::name)) reader_.refuse(node, std::format("two groups are called \"{}\"", group.name), "give one of them a name");
    suite_.groups.push_back(std::move(group));
  }

  fs::path path_;
  toml::table table_;
  TomlReader reader_;
  Suite suite_;
};

}  // namespace

Settings settings_of(const Suite& suite, const SuitePolicy& policy) {
  Settings settings = suite.settings;
  settings.overrides.append_range(policy.scip);
  if (!is_model_file(policy.source) && !make_policy(policy.source, 0)->scip_rule().empty()) {
    std::erase_if(settings.overrides, [](const auto& parameter) { return parameter.first.starts_with(own_parameters); });
  }
  return settings;
}

Suite read_suite(const fs::path& path) { return SuiteReader(path).read(); }

}  // namespace bough
