// SPDX-License-Identifier: Apache-2.0
#include "bough/learn/recipe.hpp"

#include <algorithm>
#include <format>
#include <set>

#include "bough/error.hpp"
#include "bough/learn/plan.hpp"
#include "bough/model/model.hpp"
#include "bough/scip/settings.hpp"
#include "bough/toml.hpp"
#include "bough/train/config.hpp"

namespace bough {
namespace {

class RecipeReader {
 public:
  explicit RecipeReader(const std::filesystem::path& path) : path_(path), table_(read_toml(path)), reader_(table_, path.string()) {}

  Recipe read() {
    recipe_.name = path_.stem().string();
    recipe_.text = read_file(path_);
    SeedRange instances;
    reader_.take("family", reader_.need("family"), instances.family);
    reader_.at(reader_.need("family"), [&] { (void)family_by_name(instances.family); });
    reader_("size", instances.size, size_names);
    reader_("settings", recipe_.settings);
    refuse_unknown_settings(reader_, recipe_.settings);
    read_networks();
    read_collect(instances);
    read_train();
    for (const auto& [key, seeds] : {std::pair{"choose", &recipe_.choose}, std::pair{"judge", &recipe_.judge}}) {
      TomlReader step = reader_.table(key, reader_.need(key));
      *seeds = read_instances(step, instances);
      step.refuse_others();
    }
    reader_("time_limit", recipe_.time_limit_s);
    if (!(recipe_.time_limit_s > 0 && recipe_.time_limit_s <= longest_time_limit_s)) reader_.refuse(reader_.need("time_limit"), "time_limit: expected a positive number of seconds");
    reader_.refuse_others();
    refuse_shared_instances();
    return std::move(recipe_);
  }

 private:
  static void refuse_unknown_settings(TomlReader& table, const std::string& name) {
    if (find_preset(name) == nullptr) table.refuse(table.need("settings"), std::format("no settings \"{}\"", name), "there are default, paper and ml4co");
  }

  void read_networks() {
    const toml::node& node = reader_.need("networks");
    reader_.each("networks", node, [&](const toml::node& element) {
      std::string name;
      reader_.take("networks", element, name);
      if (!std::ranges::contains(network_names, name)) reader_.refuse(element, std::format("no network \"{}\"; there are gcnn, gat and tgat", name));
      if (std::ranges::contains(recipe_.networks, name)) reader_.refuse(element, std::format("networks: {} is given twice", name));
      recipe_.networks.push_back(name);
    });
    if (recipe_.networks.empty()) reader_.refuse(node, "networks: at least one");
    if (const toml::node* seeds = reader_.find("seeds")) {
      recipe_.seeds.clear();
      reader_.each("seeds", *seeds, [&](const toml::node& element) { reader_.take("seeds", element, recipe_.seeds.emplace_back()); });
      if (recipe_.seeds.empty() || std::set(recipe_.seeds.begin(), recipe_.seeds.end()).size() != recipe_.seeds.size()) reader_.refuse(*seeds, "seeds: at least one, and none twice");
    }
    if (const toml::node* weights = reader_.find("pseudocosts")) {
      recipe_.pseudocosts.clear();
      reader_.each("pseudocosts", *weights, [&](const toml::node& element) { reader_.take("pseudocosts", element, recipe_.pseudocosts.emplace_back()); });
      const bool in_range = std::ranges::all_of(recipe_.pseudocosts, [](double weight) { return weight >= 0 && weight <= most_pseudocosts; });
      if (recipe_.pseudocosts.empty() || !in_range || std::set(recipe_.pseudocosts.begin(), recipe_.pseudocosts.end()).size() != recipe_.pseudocosts.size()) {
        reader_.refuse(*weights, std::format("pseudocosts: at least one number, each from 0 to {}, and none twice", most_pseudocosts));
      }
    }
  }

  SeedRange read_instances(TomlReader& table, SeedRange seeds) {
    std::string range;
    const toml::node& node = table.need("instances");
    table.take("instances", node, range);
    reader_.at(node, [&] { parse_seeds(range, "instances", seeds); });
    return seeds;
  }

  void read_collect(const SeedRange& instances) {
    TomlReader collect = reader_.table("collect", reader_.need("collect"));
    Sampling& sampling = recipe_.sampling;
    collect("window", sampling.window);
    collect("start", sampling.start, start_names);
    collect("expert_probability", sampling.probability);
    collect("expert_candidates", sampling.max_candidates);
    collect("follow", sampling.follow, follow_names);
    collect("episode_states", sampling.max_labels);
    if (sampling.max_candidates < 0 || sampling.max_candidates == 1) reader_.refuse(collect.raw(), "collect: expert_candidates is at least 2; without it the expert is asked about all");
    if (sampling.window < 1 || sampling.max_labels < 1 || !(sampling.probability >= 0 && sampling.probability <= 1)) reader_.refuse(collect.raw(), "collect: window and episode_states are at least 1, a probability lies from 0 to 1");
    if (sampling.start == Start::anywhere && sampling.probability == 0) reader_.refuse(collect.raw(), "collect: with expert_probability = 0 no window ever begins");
    const auto read_set = [&](TomlReader set, SeedRange& seeds, std::int64_t& n_labels) {
      seeds = read_instances(set, instances);
      set.take("states", set.need("states"), n_labels);
      if (n_labels < fewest_labels) set.refuse(set.need("states"), std::format("states: expected at least {}", fewest_labels));
      set.refuse_others();
    };
    read_set(collect.table("train", collect.need("train")), recipe_.train, recipe_.n_train);
    read_set(collect.table("valid", collect.need("valid")), recipe_.valid, recipe_.n_valid);
    if (const toml::node* also = collect.find("also")) {
      collect.each("also", *also, [&](const toml::node& element) {
        TomlReader set = collect.table("also", element);
        Recipe::Also one;
        set.take("settings", set.need("settings"), one.settings);
        refuse_unknown_settings(set, one.settings);
        if (one.settings == recipe_.settings || std::ranges::contains(recipe_.also, one.settings, &Recipe::Also::settings)) set.refuse(element, std::format("also: settings \"{}\" are taken already", one.settings));
        read_set(std::move(set), one.instances, one.n_labels);
        recipe_.also.push_back(std::move(one));
      });
    }
    collect.refuse_others();
  }

  /// The trainer's settings, except for those that the recipe decides elsewhere.
  void read_train() {
    const toml::node& node = reader_.need("train");
    TomlReader train = reader_.table("train", node);
    for (const char* key : {"network", "seed", "threads"}) {
      if (const toml::node* given = train.raw().get(key)) reader_.refuse(*given, std::format("train: {} is not set here", key), "networks and seeds are lists at the top; --workers gives the threads");
    }
    Config config;
    read_config(train, config);
    reader_.at(node, [&] { validate(config, "train"); });
    if (config.states > 0 && !recipe_.also.empty()) train.refuse(train.need("states"), "train: states counts from the first set on and would leave out collect.also", "ask for fewer states in collect");
    if (config.states > recipe_.n_train) train.refuse(train.need("states"), std::format("train: states = {}, and collect.train has {}", config.states, recipe_.n_train));
    recipe_.trainer = config_toml(config);
  }

  void refuse_shared_instances() {
    struct Step {
      const char* name;
      const SeedRange* seeds;
      bool learns;
    };
    std::vector<Step> steps{{"collect.train", &recipe_.train, true}, {"collect.valid", &recipe_.valid, false}, {"choose", &recipe_.choose, false}, {"judge", &recipe_.judge, false}};
    for (const Recipe::Also& also : recipe_.also) steps.push_back({"collect.also", &also.instances, true});
    for (std::size_t a = 0; a < steps.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const auto& [name, x, x_learns] = steps[a];
        const auto& [other, y, y_learns] = steps[b];
        if (x_learns && y_learns) continue;
        if (x->first <= y->last && y->first <= x->last) reader_.refuse(table_, std::format("{} and {} share instances: what is learned from must not judge", other, name));
      }
    }
  }

  std::filesystem::path path_;
  toml::table table_;
  TomlReader reader_;
  Recipe recipe_;
};

}  // namespace

Recipe read_recipe(const std::filesystem::path& path) { return RecipeReader(path).read(); }

}  // namespace bough
