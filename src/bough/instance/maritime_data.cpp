// SPDX-License-Identifier: Apache-2.0
#include "bough/instance/maritime_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <format>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <system_error>

#include "bough/error.hpp"
#include "bough/file.hpp"

namespace bough {
namespace {

constexpr double largest_amount = 1e7;  // amounts, fees, prices: far above any real one, far below what spoils the numerics
constexpr int largest_count = 10'000;

struct Line {
  int number;
  std::vector<std::string_view> words;  // never empty
};

/// A text file by lines and words; what it refuses is an Error (bad_input) with file and line.
class LineFile {
 public:
  explicit LineFile(const std::filesystem::path& path) : path_(path), text_(read_file(path)) {
    constexpr std::string_view space = " \t\r\f\v";
    const std::string_view text = text_;
    int number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view rest = text.substr(begin, end - begin);
      Line line{++number, {}};
      for (std::size_t at = rest.find_first_not_of(space); at != std::string_view::npos;) {
        const std::size_t stop = std::min(rest.find_first_of(space, at), rest.size());
        line.words.push_back(rest.substr(at, stop - at));
        at = rest.find_first_not_of(space, stop);
      }
      if (!line.words.empty()) lines_.push_back(std::move(line));
      begin = end + 1;
    }
    end_ = Line{number, {}};
  }
  LineFile(const LineFile&) = delete;  // lines_ looks into text_
  LineFile& operator=(const LineFile&) = delete;

  [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }

  /// The line at `at`, or the end of the file if there is none: it has no words.
  [[nodiscard]] const Line& line(std::size_t at) const { return at < lines_.size() ? lines_[at] : end_; }

  [[noreturn]] void fail(const Line& line, const std::string& complaint) const {
    throw Error(ExitCode::bad_input, std::format("{}:{}: {}", path_.string(), line.number, complaint));
  }

  [[nodiscard]] double real(const Line& line, std::size_t word, std::string_view what, double low, double high) const {
    const std::string_view text = line.words[word];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size() && value >= low && value <= high) return value;
    fail(line, std::format("expected {} from {} to {}, got '{}'", what, low, high, text.substr(0, 40)));
  }

  [[nodiscard]] int integer(const Line& line, std::size_t word, std::string_view what, int low, int high) const {
    const double value = real(line, word, what, low, high);
    if (value != std::floor(value)) fail(line, std::format("expected {}, a whole number, got {}", what, value));
    return static_cast<int>(value);
  }

 private:
  std::filesystem::path path_;
  std::string text_;
  std::vector<Line> lines_;
  Line end_{};
};

/// Consecutive lines "key value...", in any order; keys that nobody asks for are ignored.
class Block {
 public:
  Block(const LineFile& file, const Line& first) : file_(&file), first_(&first) {}

  void add(const Line& line) {
    if (!lines_.emplace(line.words[0], &line).second) file_->fail(line, std::format("'{}' is given a second time", line.words[0]));
  }

  [[nodiscard]] const Line& line(std::string_view key) const {
    const auto found = lines_.find(key);
    if (found == lines_.end()) file_->fail(*first_, std::format("the entry that begins here has no '{}'", key));
    return *found->second;
  }
  /// The line of a key with exactly one value.
  [[nodiscard]] const Line& single(std::string_view key) const {
    const Line& found = line(key);
    if (found.words.size() != 2) file_->fail(found, std::format("expected one value of '{}', got {}", key, found.words.size() - 1));
    return found;
  }
  [[nodiscard]] std::string_view word(std::string_view key) const { return single(key).words[1]; }
  [[nodiscard]] double real(std::string_view key, double low, double high) const { return file_->real(single(key), 1, key, low, high); }
  [[nodiscard]] int integer(std::string_view key, int low, int high) const { return file_->integer(single(key), 1, key, low, high); }
  [[nodiscard]] std::vector<double> series(std::string_view key, double low, double high) const {
    const Line& found = line(key);
    if (found.words.size() < 2) file_->fail(found, std::format("'{}' has no values", key));
    std::vector<double> values;
    for (std::size_t k = 1; k < found.words.size(); ++k) values.push_back(file_->real(found, k, key, low, high));
    return values;
  }
  /// `n` counts.
  [[nodiscard]] std::vector<int> counts(std::string_view key, int n) const {
    const Line& found = line(key);
    if (found.words.size() != static_cast<std::size_t>(n) + 1) {
      file_->fail(found, std::format("expected {} values of '{}', got {}", n, key, found.words.size() - 1));
    }
    std::vector<int> values;
    for (std::size_t k = 1; k < found.words.size(); ++k) values.push_back(file_->integer(found, k, key, 0, largest_count));
    return values;
  }

  void expect_index(int index) const {
    if (integer("index", 0, largest_count) != index) fail("index", std::format("expected the index {}: entries come in order", index));
  }
  void expect_type(std::string_view type) const {
    if (word("type") != type) fail("type", std::format("expected {}, got '{}'", type, word("type").substr(0, 40)));
  }
  [[noreturn]] void fail(std::string_view key, const std::string& complaint) const { file_->fail(line(key), complaint); }

 private:
  const LineFile* file_;
  const Line* first_;
  std::map<std::string_view, const Line*> lines_;
};

/// The blocks of a file, each starting with its 'name'; there must be `n`.
std::vector<Block> read_blocks(const LineFile& file, int n, std::string_view what) {
  std::vector<Block> blocks;
  for (const Line& line : file.lines()) {
    if (line.words[0] == "name") blocks.emplace_back(file, line);
    if (blocks.empty()) {
      file.fail(line, std::format("expected 'name' and the name of a {}, got '{}'", what, line.words[0].substr(0, 40)));
    }
    blocks.back().add(line);
  }
  if (blocks.size() != static_cast<std::size_t>(n)) {
    file.fail(file.line(file.lines().size()),
              std::format("metadata.txt announces {} entries of the kind '{}', the file has {}", n, what, blocks.size()));
  }
  std::set<std::string_view> names;
  for (const Block& block : blocks) {
    if (!names.insert(block.word("name")).second) block.fail("name", std::format("a second {} has this name", what));
  }
  return blocks;
}

struct Metadata {
  std::vector<int> ports_in_region;  // over all regions, loading first
  int n_loading_regions;
  int n_loading_ports;
  int n_ports;
  std::vector<int> vessels_in_class;
};

Metadata read_metadata(const std::filesystem::path& path, MaritimeData& data) {
  const LineFile file(path);
  Block block(file, file.line(0));
  for (const Line& line : file.lines()) block.add(line);

  if (block.integer("numCommodities", 1, largest_count) != 1) block.fail("numCommodities", "the model has one commodity");
  Metadata meta;
  meta.n_loading_regions = block.integer("numLoadingRegions", 1, largest_count);
  meta.ports_in_region = block.counts("numLoadingPorts", meta.n_loading_regions);
  meta.n_loading_ports = std::accumulate(meta.ports_in_region.begin(), meta.ports_in_region.end(), 0);
  const std::vector<int> discharge = block.counts("numDischargePorts", block.integer("numDischargeRegions", 1, largest_count));
  meta.ports_in_region.insert(meta.ports_in_region.end(), discharge.begin(), discharge.end());
  meta.n_ports = std::accumulate(discharge.begin(), discharge.end(), meta.n_loading_ports);
  meta.vessels_in_class = block.counts("numTermVesselsInClass", block.integer("numVesselClasses", 1, largest_count));
  data.hours_per_period = block.real("hoursPerPeriod", 0.01, 10'000);
  data.spot_price = block.real("spotMarketPricePerUnit", 0, largest_amount);
  data.spot_discount = block.real("spotMarketDiscountFactor", 0, 1);
  data.attempt_cost = block.real("attemptCost", 0, largest_amount);
  data.finish_early_reward = block.real("perPeriodRewardForFinishingEarly", 0, largest_amount);
  data.period_slack = block.real("constantForSinglePeriodAlphaSlack", 0, largest_amount);
  data.total_slack = block.real("constantForCumulativeAlphaSlack", 0, largest_amount);
  return meta;
}

void read_ports(const std::filesystem::path& path, const Metadata& meta, bool loading, MaritimeData& data) {
  const LineFile file(path);
  const int first = loading ? 0 : meta.n_loading_ports;
  const int last = loading ? meta.n_loading_ports : meta.n_ports;
  const int first_region = loading ? 0 : meta.n_loading_regions;
  const int last_region = loading ? meta.n_loading_regions : static_cast<int>(meta.ports_in_region.size());
  std::vector<int> n_left = meta.ports_in_region;
  for (const Block& block : read_blocks(file, last - first, loading ? "loading port" : "discharge port")) {
    const int index = static_cast<int>(data.ports.size());
    block.expect_index(index);
    block.expect_type(loading ? "Loading" : "Discharge");
    Port port;
    port.name = block.word("name");
    port.loading = loading;
    port.region = block.integer("regionIndex", first_region, last_region - 1);
    if (--n_left[static_cast<std::size_t>(port.region)] < 0) {
      block.fail("regionIndex", std::format("metadata.txt announces {} ports in region {}, this is one more",
                                            meta.ports_in_region[static_cast<std::size_t>(port.region)], port.region));
    }
    port.x_km = block.real("x_coordinate", -1e6, 1e6);
    port.y_km = block.real("y_coordinate", -1e6, 1e6);
    port.fee = block.real("fixedPortFee", 0, largest_amount);
    port.n_berths = block.integer("numBerths", 0, largest_count);
    port.max_amount = block.real("maxAmountPerPeriod", 0.001, largest_amount);
    port.min_amount = block.real("minAmountPerPeriod", 0, port.max_amount);
    port.capacity = block.real("capacity", 0, largest_amount);
    port.initial_inventory = block.real("initialInventory", 0, port.capacity);
    port.rate = block.series(loading ? "production" : "consumption", 0, largest_amount);
    if (!loading) port.revenue = block.series("revenue", -largest_amount, largest_amount);
    data.ports.push_back(std::move(port));
  }
}

void read_vessels(const std::filesystem::path& directory, const Metadata& meta, MaritimeData& data) {
  const LineFile class_file(directory / "vessel_class_data.txt");
  const int n_classes = static_cast<int>(meta.vessels_in_class.size());
  for (const Block& block : read_blocks(class_file, n_classes, "vessel class")) {
    const int index = static_cast<int>(data.classes.size());
    block.expect_index(index);
    data.classes.push_back({.name = std::string(block.word("name")),
                            .capacity = block.real("capacity", 0.001, largest_amount),
                            .speed_kn = block.real("avgSpeedInKnots", 0.001, 1000),
                            .cost_per_km = block.real("travelCostAsTermPerKm", 0, 1000),
                            .empty_discount = block.real("discountTravelingEmpty", 0, 1),
                            .travel_time = {}});
  }

  const LineFile vessel_file(directory / "vessel_data.txt");
  const int n_vessels = std::accumulate(meta.vessels_in_class.begin(), meta.vessels_in_class.end(), 0);
  std::vector<int> n_left = meta.vessels_in_class;
  for (const Block& block : read_blocks(vessel_file, n_vessels, "vessel")) {
    block.expect_type("Term");
    Vessel vessel;
    vessel.vessel_class = block.integer("vesselClass", 0, n_classes - 1);
    const auto kind = static_cast<std::size_t>(vessel.vessel_class);
    if (--n_left[kind] < 0) {
      block.fail("vesselClass", std::format("metadata.txt announces {} vessels of class {}, this is one more",
                                            meta.vessels_in_class[kind], kind));
    }
    vessel.initial_inventory = block.real("initialInventory", 0, data.classes[kind].capacity);
    const auto port = std::ranges::find(data.ports, block.word("initialPort"), &Port::name);
    if (port == data.ports.end()) {
      block.fail("initialPort", std::format("there is no port '{}'", block.word("initialPort").substr(0, 40)));
    }
    vessel.initial_port = static_cast<int>(port - data.ports.begin());
    vessel.first_time = block.integer("firstTimeAvailable", 0, largest_count);
    data.vessels.push_back(vessel);
  }
}

/// A square matrix with a line of column numbers above and a row number before every row; `at` moves behind it.
std::vector<double> read_matrix(const LineFile& file, std::size_t& at, std::size_t n, std::string_view what, double high) {
  const Line& header = file.line(at++);
  if (header.words.size() != n) {
    file.fail(header, std::format("expected the numbers of the {} ports, got {} words", n, header.words.size()));
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) {
    const Line& row = file.line(at++);
    if (row.words.size() != n + 1) {
      file.fail(row, std::format("expected the number of port {} and {} values of {}, got {} words", i, n, what, row.words.size()));
    }
    const int port = file.integer(row, 0, "the number of a port", 0, largest_count);
    if (port != static_cast<int>(i)) file.fail(row, std::format("expected the row of port {}, got that of {}", i, port));
    for (std::size_t j = 0; j < n; ++j) values.push_back(file.real(row, j + 1, what, 0, high));
  }
  return values;
}

/// Moves `at` behind the title of a matrix file.
void skip_title(const LineFile& file, std::size_t& at, std::string_view title) {
  const Line& line = file.line(at++);
  if (!std::ranges::contains(line.words, title)) file.fail(line, std::format("expected the title '----- {} -----'", title));
}

/// The model takes its distances from the coordinates, unrounded; the file must agree with them to its two decimals.
void check_distances(const std::filesystem::path& path, const MaritimeData& data) {
  const LineFile file(path);
  std::size_t at = 0;
  skip_title(file, at, "FullDistanceMatrix");
  const std::size_t n = data.ports.size();
  const std::size_t first_row = at + 1;
  const std::vector<double> km = read_matrix(file, at, n, "a distance in km", 1e7);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double expected = distance_km(data.ports[i], data.ports[j]);
      if (std::abs(km[i * n + j] - expected) > 0.0051) {
        file.fail(file.line(first_row + i), std::format("the distance from port {} to port {} is {:.2f} km by their coordinates, got {}",
                                                        i, j, expected, km[i * n + j]));
      }
    }
  }
}

void read_travel_times(const std::filesystem::path& path, MaritimeData& data) {
  const LineFile file(path);
  std::size_t at = 0;
  skip_title(file, at, "FullTravelTimeMatrixForClass");
  const std::size_t n = data.ports.size();
  for (VesselClass& kind : data.classes) {
    const Line& name = file.line(at++);
    if (name.words.size() != 1 || name.words[0] != kind.name) file.fail(name, std::format("expected the vessel class '{}'", kind.name));
    const std::size_t first_row = at + 1;
    const std::vector<double> periods = read_matrix(file, at, n, "a travel time in periods", largest_count);
    for (std::size_t k = 0; k < periods.size(); ++k) {
      const int whole = static_cast<int>(periods[k]);
      if (periods[k] != whole || (k / n != k % n && whole < 1)) {
        file.fail(file.line(first_row + k / n), std::format("expected a travel time of whole periods, at least 1, got {}", periods[k]));
      }
      kind.travel_time.push_back(whole);
    }
  }
}

}  // namespace

int MaritimeData::n_periods() const {
  std::size_t n = largest_count;
  for (const Port& port : ports) {
    n = std::min(n, port.rate.size());
    if (!port.loading) n = std::min(n, port.revenue.size());
  }
  return static_cast<int>(n);
}

double distance_km(const Port& from, const Port& to) {
  const double dx = from.x_km - to.x_km;
  const double dy = from.y_km - to.y_km;
  return std::sqrt(dx * dx + dy * dy);
}

int travel_periods(double km, double speed_kn, double hours_per_period) {
  constexpr double km_per_nautical_mile = 1.852;
  return std::max(1, static_cast<int>(std::ceil(km / (speed_kn * km_per_nautical_mile * hours_per_period))));
}

MaritimeData read_maritime_data(const std::filesystem::path& directory) {
  std::error_code ignored;  // whatever the reason, there is no directory to read
  if (!std::filesystem::is_directory(directory, ignored)) {
    throw Error(ExitCode::missing_input, std::format("{}: no such directory", directory.string()),
                "a maritime data set is a directory with metadata.txt, loading_port_data.txt and five more");
  }
  MaritimeData data;
  const Metadata meta = read_metadata(directory / "metadata.txt", data);
  read_ports(directory / "loading_port_data.txt", meta, true, data);
  read_ports(directory / "discharge_port_data.txt", meta, false, data);
  read_vessels(directory, meta, data);
  check_distances(directory / "distances.txt", data);
  read_travel_times(directory / "travelTimes.txt", data);
  return data;
}

}  // namespace bough
