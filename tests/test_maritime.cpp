// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <format>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bough/error.hpp"
#include "bough/instance/family.hpp"
#include "bough/instance/maritime_data.hpp"
#include "bough/scip/problem.hpp"
#include "bough/scip/scip.hpp"
#include "tests/milps.hpp"

namespace bough::test {
namespace {

namespace fs = std::filesystem;

const Family& maritime() { return family_by_name("maritime"); }
Parameters with_horizon(double horizon) { return resolve_parameters(maritime(), Size::medium, {{"horizon", horizon}}); }
fs::path shared() { return fs::path(BOUGH_SHARED_INSTANCES) / "mirplib"; }

// ---- published data sets ----------------------------------------------------------------------------------------------------------

using Coefficients = std::map<std::string, double>;  // by column name

std::map<std::string, std::pair<Milp::Row, Coefficients>> rows_by_name(const Milp& milp) {
  std::map<std::string, std::pair<Milp::Row, Coefficients>> rows;
  for (std::size_t i = 0; i < milp.rows.size(); ++i) {
    auto& [row, coefficients] = rows[milp.rows[i].name];
    row = milp.rows[i];
    for (const auto& [column, value] : milp.row(i)) coefficients[milp.variables[static_cast<std::size_t>(column)].name] += value;
  }
  return rows;
}

TEST(Maritime, TheModelOfV7aIsThePublishedFileRowForRowAndColumnForColumn) {
  const fs::path published_file = shared() / "LR1_1_DR1_3_VC1_V7a_t45.mps.gz";
  if (!fs::exists(published_file)) GTEST_SKIP() << "needs " << published_file << ", which is not here";
  const ScipPtr scip = create_scip();
  read_problem(scip.get(), published_file);
  const Milp published = to_milp(scip.get());
  const Milp ours = maritime().from_data(shared() / "LR1_1_DR1_3_VC1_V7a", with_horizon(45));
  ASSERT_EQ(published.variables.size(), 8045U);
  ASSERT_EQ(published.rows.size(), 7909U);
  EXPECT_EQ(ours.maximize, published.maximize);

  std::map<std::string, Milp::Variable> variables;
  for (const auto& variable : ours.variables) variables[variable.name] = variable;
  ASSERT_EQ(variables.size(), ours.variables.size()) << "names must be unique";
  ASSERT_EQ(ours.variables.size(), published.variables.size());
  for (const auto& theirs : published.variables) {
    ASSERT_TRUE(variables.contains(theirs.name)) << theirs.name;
    const Milp::Variable& mine = variables[theirs.name];
    // The file has 17 digits.  Only 0.999^t and the products of a distance may differ by a rounding: pow() against repeated
    // multiplication (at most t = 44 of them, each 1.1e-16).
    EXPECT_NEAR(mine.objective, theirs.objective, 1e-14 * std::abs(theirs.objective)) << theirs.name;
    EXPECT_EQ(mine.lower, theirs.lower) << theirs.name;
    EXPECT_EQ(mine.upper, theirs.upper) << theirs.name;
    EXPECT_EQ(mine.type, theirs.type) << theirs.name;
  }

  const auto my_rows = rows_by_name(ours);
  const auto their_rows = rows_by_name(published);
  ASSERT_EQ(my_rows.size(), ours.rows.size()) << "names must be unique";
  ASSERT_EQ(my_rows.size(), their_rows.size());
  for (const auto& [name, theirs] : their_rows) {
    ASSERT_TRUE(my_rows.contains(name)) << name;
    const auto& [row, coefficients] = my_rows.at(name);
    EXPECT_EQ(row.lhs, theirs.first.lhs) << name;
    EXPECT_EQ(row.rhs, theirs.first.rhs) << name;
    EXPECT_EQ(coefficients, theirs.second) << name;  // integers, so equal
  }
}

/// The optimum, empty if there is no solution or not within the limits.
std::optional<double> solve(const Milp& milp, const char* rule, int n_solutions) {
  const ScipPtr scip = create_scip();
  load_problem(scip.get(), milp);
  check(SCIPsetIntParam(scip.get(), std::format("branching/{}/priority", rule).c_str(), 1'000'000));
  check(SCIPsetIntParam(scip.get(), "limits/solutions", n_solutions));
  check(SCIPsetRealParam(scip.get(), "limits/time", 300));
  check(SCIPsolve(scip.get()));
  if (SCIPgetNSols(scip.get()) == 0) return std::nullopt;
  if (n_solutions < 0 && SCIPgetStatus(scip.get()) != SCIP_STATUS_OPTIMAL) return std::nullopt;
  return SCIPgetPrimalbound(scip.get());
}

struct Published {
  const char* name;
  int horizon;
  std::size_t n_rows;
  std::size_t n_columns;
  int n_binaries;
  double lp_optimum;
};
void PrintTo(const Published& set, std::ostream* out) { *out << set.name << " T=" << set.horizon; }

class PublishedMaritime : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedMaritime, HasThePublishedSizeAndLpOptimum) {
  const Published& set = GetParam();
  if (!fs::exists(shared() / set.name)) GTEST_SKIP() << "needs " << shared() / set.name << ", which is not here";
  Milp milp = maritime().from_data(shared() / set.name, with_horizon(set.horizon));
  // The published files carry five columns without any entry, one of them binary, that the table does not count.
  EXPECT_EQ(milp.variables.size(), set.n_columns + 5);
  EXPECT_EQ(std::ranges::count(milp.variables, Milp::VarType::binary, &Milp::Variable::type), set.n_binaries + 1);
  EXPECT_EQ(milp.rows.size(), set.n_rows);
  // The relaxation with presolving, four times faster here than lp_optimum(), which does without.
  for (auto& variable : milp.variables) variable.type = Milp::VarType::continuous;
  const std::optional<double> optimum = solve(milp, "relpscost", -1);
  ASSERT_TRUE(optimum.has_value());
  EXPECT_NEAR(*optimum, set.lp_optimum, 1e-6 * std::abs(set.lp_optimum));  // two LP solvers, each feasible to 1e-6 or 1e-7
}

INSTANTIATE_TEST_SUITE_P(All, PublishedMaritime,
                         ::testing::Values(Published{"LR1_1_DR1_3_VC1_V7a", 45, 7909, 8040, 5914, -25646.623198},
                                           Published{"LR1_1_DR1_3_VC1_V7a", 60, 10864, 11265, 8434, -33347.591194},
                                           Published{"LR1_1_DR1_4_VC3_V8a", 45, 11104, 12396, 9548, -24336.511831},
                                           Published{"LR1_1_DR1_4_VC3_V8a", 60, 15334, 17541, 13748, -31850.671995},
                                           Published{"LR1_2_DR1_3_VC2_V6a", 45, 9306, 9638, 7332, -23254.484419},
                                           Published{"LR1_2_DR1_3_VC2_V6a", 60, 12876, 13553, 10482, -30588.817139},
                                           Published{"LR2_11_DR2_22_VC3_V6a", 45, 10861, 9897, 7185, -23778.931836},
                                           Published{"LR2_11_DR2_22_VC3_V6a", 60, 15271, 14217, 10605, -31022.076544}),
                         [](const auto& test) { return std::format("{}_t{}", test.param.name, test.param.horizon); });

// ---- the parser: a small data set, then the same with one thing wrong ---------------------------------------------------------------

// One loading port at (0,0), two discharge ports at (3000,4000) and (3000,4300): 5000, 5243.09 and 300 km.  At 15 knots a vessel
// makes 15 * 1.852 * 24 = 666.72 km a period: 8, 8 and 1 periods.
class SmallMaritimeData : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::temp_directory_path() / std::format("bough-maritime-{}", ::getpid());
    fs::create_directories(directory_);
    put("metadata.txt",
        "numPeriods 4\nnumCommodities 1\nnumLoadingRegions 1\nnumDischargeRegions 1\nnumLoadingPorts 1\nnumDischargePorts 2\n"
        "numVesselClasses 1\nnumTermVesselsInClass 2\nhoursPerPeriod 24\nspotMarketPricePerUnit 2\nspotMarketDiscountFactor 0.5\n"
        "attemptCost 0.25\nperPeriodRewardForFinishingEarly 0.125\nconstantForSinglePeriodAlphaSlack 0.5\n"
        "constantForCumulativeAlphaSlack 2.0\n");
    put("loading_port_data.txt",
        "name L0\nindex 0\ntype Loading\nregionIndex 0\nx_coordinate 0\ny_coordinate 0\nfixedPortFee 10\nnumBerths 1\n"
        "maxAmountPerPeriod 200\nminAmountPerPeriod 20\ncapacity 400\ninitialInventory 300\nproduction 51 52 53 54 55\n");
    const auto discharge = [](int k, int y, int inventory) {
      return std::format(
          "name D{}\nindex {}\ntype Discharge\nregionIndex 1\nx_coordinate 3000\ny_coordinate {}\nfixedPortFee 20\nnumBerths 1\n"
          "maxAmountPerPeriod 500\nminAmountPerPeriod 30\ncapacity 400\ninitialInventory {}\nconsumption 25 25 25 25 25\n"
          "revenue 5 4 3 2 1\n",
          k, k + 1, y, inventory);
    };
    put("discharge_port_data.txt", discharge(0, 4000, 50) + discharge(1, 4300, 60));
    put("vessel_class_data.txt",
        "name C0\nindex 0\ncapacity 300\navgSpeedInKnots 15\ntravelCostAsTermPerKm 0.0625\ndiscountTravelingEmpty 0.25\n");
    put("vessel_data.txt",
        "name V0\nindex 0\nvesselClass 0\ntype Term\ninitialInventory 0\ninitialPort L0\nfirstTimeAvailable 1\n"
        "name V1\nindex 1\nvesselClass 0\ntype Term\ninitialInventory 300\ninitialPort D1\nfirstTimeAvailable 0\n");
    put("distances.txt",
        "----- FullDistanceMatrix -----\n 0 1 2\n0 0.00 5000.00 5243.09\n1 5000.00 0.00 300.00\n2 5243.09 300.00 0.00\n"
        "FullDistanceMatrix(i,j) = distance (km) from port i to port j.\n");
    put("travelTimes.txt",
        "----- FullTravelTimeMatrixForClass -----\nC0\n 0 1 2\n0 0 8 8\n1 8 0 1\n2 8 1 0\n"
        "FullTravelTimeMatrixForClass(vc,i,j) = ...\n");
  }
  void TearDown() override { fs::remove_all(directory_); }

  void put(const std::string& file, const std::string& text) const { std::ofstream(directory_ / file) << text; }

  /// Replaces the only place where `old` stands.
  void edit(const std::string& file, const std::string& old, const std::string& text) const {
    std::ostringstream content;
    content << std::ifstream(directory_ / file).rdbuf();
    std::string all = content.str();
    const std::size_t at = all.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    put(file, all.replace(at, old.size(), text));
  }

  Milp build(double horizon) const { return maritime().from_data(directory_, with_horizon(horizon)); }

  /// The data set must be refused, with these words in the complaint.
  void expect_error(ExitCode code, const std::vector<std::string>& words, double horizon = 4) const {
    try {
      build(horizon);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      for (const std::string& word : words) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  fs::path directory_;
};

TEST_F(SmallMaritimeData, BecomesTheModelThatItsNumbersSay) {
  const Milp milp = build(4);
  std::map<std::string, Milp::Variable> variables;
  for (const auto& variable : milp.variables) variables[variable.name] = variable;
  const auto rows = rows_by_name(milp);

  // Rates differ by period: half of 51, 52, 53, 54, rounded half up; the total is limited by twice the rate of period 0.
  EXPECT_EQ(variables.at("alphaSlack_(0,0)").upper, 26);
  EXPECT_EQ(variables.at("alphaSlack_(0,3)").upper, 27);
  EXPECT_EQ(variables.at("alphaSlack_(0,3)").objective, 2 * 0.125);
  EXPECT_EQ(rows.at("cumSlack_0").first.rhs, 102);
  EXPECT_EQ(rows.at("invBalancePort_(0,2)").first.rhs, 53);
  EXPECT_EQ(rows.at("invBalancePort_(1,2)").first.lhs, -25);
  EXPECT_EQ(rows.at("invBalancePort_(1,3)").second,
            (Coefficients{{"endingSupplyAtPort_1", 1},
                          {"supplyAtNode_(1,3)", -1},
                          {"f_(1,3),0", -1},
                          {"f_(1,3),1", -1},
                          {"alphaSlack_(1,3)", -1}}));
  EXPECT_EQ(rows.at("invBalanceVessel_0,1").second,
            (Coefficients{{"supplyOnVessel_0,1", 1}, {"f_(0,1),0", 1}, {"f_(1,1),0", -1}, {"f_(2,1),0", -1}, {"supplyOnVessel_0,2", -1}}));

  EXPECT_EQ(variables.at("f_(0,1),0").upper, 200);  // the port's maximum is below the vessel's capacity
  EXPECT_EQ(variables.at("f_(1,1),0").upper, 300);  // and here above it
  EXPECT_EQ(rows.at("fjmax_(0,1),0").second, (Coefficients{{"f_(0,1),0", 1}, {"z_(0,1),0", -200}}));
  EXPECT_EQ(rows.at("fjmin_(0,1),0").second, (Coefficients{{"f_(0,1),0", 1}, {"z_(0,1),0", -20}}));
  EXPECT_EQ(variables.at("f_(1,2),0").objective, -3);
  EXPECT_EQ(variables.at("z_(1,2),0").objective, 0.5);
  EXPECT_EQ(variables.at("supplyOnVessel_0,1").upper, 0);  // empty until it appears in period 1
  EXPECT_EQ(variables.at("supplyOnVessel_0,2").upper, 300);
  EXPECT_EQ(variables.at("x_(-5,-1),(0,1),0").lower, 1);
  EXPECT_EQ(variables.at("x_(-5,-1),(0,1),0").objective, 10);
  EXPECT_EQ(variables.at("x_(0,1),(-5,4),0").objective, -0.25);
  EXPECT_EQ(variables.at("x_(2,0),(1,1),1").objective, 300 * 0.0625 + 20);
  EXPECT_FALSE(variables.contains("x_(0,0),(0,1),0")) << "the vessel is not there yet";
  EXPECT_EQ(rows.at("flowBalance_(0,0),0").second, Coefficients{}) << "nor can it be";
  EXPECT_EQ(rows.at("travelAtCap_(0,2),(-5,4),0").second, (Coefficients{{"x_(0,2),(-5,4),0", 300}, {"supplyOnVessel_0,3", -1}}));
  EXPECT_EQ(rows.at("travelEmpty_(2,0),(-5,4),1").second, (Coefficients{{"x_(2,0),(-5,4),1", 300}, {"supplyOnVessel_1,1", 1}}));
  EXPECT_FALSE(rows.contains("travelEmpty_(2,0),(1,1),1")) << "between discharge ports a vessel may be half full";
}

TEST_F(SmallMaritimeData, SailsEmptyAtADiscount) {
  // Periods 0..4 are too few for 8 periods at sea; with the travel time of the file, not of the distance, the arc is there.
  edit("travelTimes.txt", "2 8 1 0", "2 3 1 0");
  const Milp milp = build(5);
  const auto arc = std::ranges::find(milp.variables, "x_(2,1),(0,4),1", &Milp::Variable::name);
  ASSERT_NE(arc, milp.variables.end());
  EXPECT_NEAR(arc->objective, std::sqrt(3000.0 * 3000 + 4300.0 * 4300) * 0.0625 * 0.75 + 10, 1e-12);  // a product's rounding
}

TEST_F(SmallMaritimeData, LimitsAmountsByTheLargestVesselAndLoadsByTheVesselsOwnCapacity) {
  // A second class of half the capacity for V1.  Ports allow 200 (loading) and 500 (discharge) a period.
  edit("metadata.txt", "numVesselClasses 1\nnumTermVesselsInClass 2", "numVesselClasses 2\nnumTermVesselsInClass 1 1");
  edit("vessel_class_data.txt", "discountTravelingEmpty 0.25\n",
       "discountTravelingEmpty 0.25\nname C1\nindex 1\ncapacity 150\navgSpeedInKnots 15\ntravelCostAsTermPerKm 0.0625\n"
       "discountTravelingEmpty 0.25\n");
  edit("travelTimes.txt", "2 8 1 0\n", "2 8 1 0\nC1\n 0 1 2\n0 0 8 8\n1 8 0 1\n2 8 1 0\n");
  edit("vessel_data.txt", "name V1\nindex 1\nvesselClass 0\ntype Term\ninitialInventory 300",
       "name V1\nindex 1\nvesselClass 1\ntype Term\ninitialInventory 150");
  const auto rows = rows_by_name(build(4));
  EXPECT_EQ(rows.at("fjmax_(2,0),1").second, (Coefficients{{"f_(2,0),1", 1}, {"z_(2,0),1", -300}}));
  EXPECT_EQ(rows.at("travelEmpty_(2,0),(-5,4),1").second, (Coefficients{{"x_(2,0),(-5,4),1", 150}, {"supplyOnVessel_1,1", 1}}));
  EXPECT_EQ(rows.at("travelEmpty_(2,0),(-5,4),1").first.rhs, 150);
}

TEST_F(SmallMaritimeData, EveryMissingFileIsNamed) {
  for (const std::string file : {"metadata.txt", "loading_port_data.txt", "discharge_port_data.txt", "vessel_class_data.txt",
                                 "vessel_data.txt", "distances.txt", "travelTimes.txt"}) {
    fs::rename(directory_ / file, directory_ / "away");
    expect_error(ExitCode::missing_input, {file});
    fs::rename(directory_ / "away", directory_ / file);
  }
  directory_ /= "nowhere";
  expect_error(ExitCode::missing_input, {"nowhere", "no such directory"});
  directory_ = directory_.parent_path();
}

TEST_F(SmallMaritimeData, AHorizonBeyondTheSeriesOrBeforeAVesselAppearsIsAUsageError) {
  EXPECT_NO_THROW(build(5));
  expect_error(ExitCode::usage, {"--horizon is 6", "5 periods"}, 6);
  edit("vessel_data.txt", "firstTimeAvailable 1", "firstTimeAvailable 4");
  expect_error(ExitCode::usage, {"--horizon is 4", "vessel 0", "period 4"}, 4);
}

struct Damage {
  const char* test;
  const char* file;
  const char* old;
  const char* text;
  const char* where;  ///< "file:line"
  const char* complaint;
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.test; }

class DamagedMaritimeData : public SmallMaritimeData, public ::testing::WithParamInterface<Damage> {};

TEST_P(DamagedMaritimeData, IsRefusedWithFileAndLine) {
  edit(GetParam().file, GetParam().old, GetParam().text);
  expect_error(ExitCode::bad_input, {GetParam().where, GetParam().complaint});
}

constexpr const char* meta = "metadata.txt";
constexpr const char* load = "loading_port_data.txt";
constexpr const char* discharge = "discharge_port_data.txt";
INSTANTIATE_TEST_SUITE_P(
    All, DamagedMaritimeData,
    ::testing::Values(
        Damage{"TwoCommodities", meta, "numCommodities 1", "numCommodities 2", "metadata.txt:2:", "one commodity"},
        Damage{"KeyMissing", meta, "hoursPerPeriod 24\n", "", "metadata.txt:1:", "no 'hoursPerPeriod'"},
        Damage{"KeyTwice", meta, "attemptCost", "hoursPerPeriod", "metadata.txt:12:", "second time"},
        Damage{"TooFewRegionCounts", meta, "numDischargeRegions 1", "numDischargeRegions 2", "metadata.txt:6:", "expected 2 values"},
        Damage{"HugeRegionCount", meta, "numLoadingRegions 1", "numLoadingRegions 4000000000", "metadata.txt:3:", "4000000000"},
        Damage{"NotANumber", meta, "spotMarketPricePerUnit 2", "spotMarketPricePerUnit nan", "metadata.txt:10:", "'nan'"},
        Damage{"OnePortTooMany", meta, "numDischargePorts 2", "numDischargePorts 1", "discharge_port_data.txt:28:", "announces 1"},
        Damage{"OnePortTooFew", meta, "numLoadingPorts 1", "numLoadingPorts 2", "loading_port_data.txt:13:", "announces 2"},
        Damage{"NoVessels", meta, "numTermVesselsInClass 2", "numTermVesselsInClass 1", "vessel_data.txt:14:", "announces 1"},
        Damage{"BlockWithoutName", load, "name L0\n", "", "loading_port_data.txt:1:", "expected 'name'"},
        Damage{"TypeOfTheOtherFile", load, "type Loading", "type Discharge", "loading_port_data.txt:3:", "expected Loading"},
        Damage{"IndexOutOfOrder", discharge, "index 1", "index 2", "discharge_port_data.txt:2:", "expected the index 1"},
        Damage{"SameName", discharge, "name D1", "name D0", "discharge_port_data.txt:15:", "second discharge port"},
        Damage{"RegionOfTheOtherKind", discharge, "regionIndex 1", "regionIndex 0", "discharge_port_data.txt:4:", "regionIndex"},
        Damage{"InfiniteCapacity", load, "capacity 400", "capacity inf", "loading_port_data.txt:11:", "'inf'"},
        Damage{"InventoryAboveCapacity", load, "initialInventory 300", "initialInventory 401", "loading_port_data.txt:12:", "0 to 400"},
        Damage{"LeastAboveMost", load, "minAmountPerPeriod 20", "minAmountPerPeriod 201", "loading_port_data.txt:10:", "0 to 200"},
        Damage{"HalfABerth", load, "numBerths 1", "numBerths 0.5", "loading_port_data.txt:8:", "whole number"},
        Damage{"NoRates", load, "production 51 52 53 54 55", "production", "loading_port_data.txt:13:", "no values"},
        Damage{"BrokenRate", load, "53 54", "53x 54", "loading_port_data.txt:13:", "'53x'"},
        Damage{"HugeRate", load, "53 54", "1e300 54", "loading_port_data.txt:13:", "'1e300'"},
        Damage{"TwoValues", load, "fixedPortFee 10", "fixedPortFee 10 11", "loading_port_data.txt:7:", "expected one value"},
        Damage{"StandingStill", "vessel_class_data.txt", "Knots 15", "Knots 0", "vessel_class_data.txt:4:", "avgSpeedInKnots"},
        Damage{"UnknownPort", "vessel_data.txt", "initialPort D1", "initialPort D7", "vessel_data.txt:13:", "no port 'D7'"},
        Damage{"UnknownClass", "vessel_data.txt", "vesselClass 0", "vesselClass 1", "vessel_data.txt:3:", "vesselClass"},
        Damage{"SpotVessel", "vessel_data.txt", "type Term", "type Spot", "vessel_data.txt:4:", "expected Term"},
        Damage{"Overloaded", "vessel_data.txt", "initialInventory 300", "initialInventory 301", "vessel_data.txt:12:", "0 to 300"},
        Damage{"NoDistances", "distances.txt", "2 5243.09 300.00 0.00\n", "", "distances.txt:5:", "port 2"},
        Damage{"CutOffDistances", "distances.txt",
               "1 5000.00 0.00 300.00\n2 5243.09 300.00 0.00\nFullDistanceMatrix(i,j) = distance (km) from port i to port j.\n", "",
               "distances.txt:3:", "port 1"},
        Damage{"ShortRow", "distances.txt", "1 5000.00 0.00 300.00", "1 5000.00 0.00", "distances.txt:4:", "3 values"},
        Damage{"WrongDistance", "distances.txt", "2 5243.09", "2 5243.19", "distances.txt:5:", "5243.09 km"},
        Damage{"NoTitle", "distances.txt", "----- FullDistanceMatrix -----\n", "", "distances.txt:1:", "title"},
        Damage{"OtherClass", "travelTimes.txt", "C0", "C1", "travelTimes.txt:2:", "'C0'"},
        Damage{"InNoTime", "travelTimes.txt", "2 8 1 0", "2 8 0 0", "travelTimes.txt:6:", "at least 1"},
        Damage{"HalfAPeriod", "travelTimes.txt", "2 8 1 0", "2 8.5 1 0", "travelTimes.txt:6:", "whole periods"}),
    [](const auto& test) { return test.param.test; });

// ---- random instances ---------------------------------------------------------------------------------------------------------------

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void expect_within(const std::vector<double>& values, double low, double high, const char* what) {
  EXPECT_GE(std::ranges::min(values), low) << what;
  EXPECT_LE(std::ranges::max(values), high) << what;
}

TEST(MaritimeGenerator, DrawsTheStatisticsOfThePublishedSets) {
  // Ranges hold for every draw.  Medians are those of the published sets; they are compared to 15 % because feasible instances are
  // selected (the fleet must suit the production, the first calls must fit), which shifts them a little.
  std::vector<double> loading_rates, discharge_rates, stored_loading, stored_discharge, share_stored, max_in_rates, min_amounts;
  std::vector<double> fees, revenues, balance, fleet, first_times, far_km, near_km, speeds, costs;
  int n_empty = 0;
  int n_vessels = 0;
  for (const Size size : {Size::easy, Size::medium, Size::hard}) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Rng rng("maritime", seed);
      const MaritimeData data = draw_maritime_data(resolve_parameters(maritime(), size), rng);
      double production = 0;
      double consumption = 0;
      for (const Port& port : data.ports) {
        const double rate = port.rate[0];
        (port.loading ? production : consumption) += rate;
        (port.loading ? loading_rates : discharge_rates).push_back(rate);
        (port.loading ? stored_loading : stored_discharge).push_back(port.capacity / rate);
        share_stored.push_back(port.initial_inventory / port.capacity);
        max_in_rates.push_back(port.max_amount / rate);
        min_amounts.push_back(port.min_amount);
        fees.push_back(port.fee);
        if (!port.loading) revenues.push_back(port.revenue[0]);
        EXPECT_EQ(port.n_berths, 1);
        EXPECT_LE(port.min_amount, port.max_amount);
        EXPECT_EQ(std::ranges::count(port.rate, rate), std::ssize(port.rate)) << "constant over the horizon";
        for (const Port& other : data.ports) {
          if (port.loading && !other.loading) far_km.push_back(distance_km(port, other));
          if (port.region == other.region) near_km.push_back(distance_km(port, other));
          EXPECT_TRUE(port.region != other.region || port.loading == other.loading);
        }
      }
      double capacity = 0;
      for (const Vessel& vessel : data.vessels) {
        const double full = data.classes[static_cast<std::size_t>(vessel.vessel_class)].capacity;
        const bool empty = vessel.initial_inventory == 0;
        capacity += full;
        n_empty += empty ? 1 : 0;
        ++n_vessels;
        EXPECT_EQ(vessel.initial_inventory, empty ? 0 : full);
        EXPECT_EQ(data.ports[static_cast<std::size_t>(vessel.initial_port)].loading, empty) << "it starts with a call";
        first_times.push_back(vessel.first_time);
      }
      for (const VesselClass& kind : data.classes) {
        speeds.push_back(kind.speed_kn);
        costs.push_back(kind.cost_per_km);
        EXPECT_EQ(kind.empty_discount, 0.2);
        for (std::size_t i = 0; i < data.ports.size(); ++i) {
          for (std::size_t j = 0; j < data.ports.size(); ++j) {
            const double km = distance_km(data.ports[i], data.ports[j]);
            const double periods = kind.travel_time[i * data.ports.size() + j];
            const double km_a_period = kind.speed_kn * 1.852 * 24;
            if (i == j) continue;
            EXPECT_LE(km, periods * km_a_period * (1 + 1e-12));  // ceil: long enough, and not a period longer
            EXPECT_TRUE(periods == 1 || km > (periods - 1) * km_a_period * (1 - 1e-12));
          }
        }
      }
      balance.push_back(production / consumption);
      fleet.push_back(capacity / production);
      EXPECT_EQ(data.period_slack, 1);
      EXPECT_FALSE(data.total_slack.has_value());
    }
  }
  expect_within(loading_rates, 27, 134, "loading rate");
  expect_within(discharge_rates, 12, 55, "discharge rate");
  EXPECT_NEAR(median(discharge_rates), 27, 0.15 * 27);
  expect_within(balance, 0.99, 1.01, "production / consumption");
  expect_within(stored_loading, 4.98, 11.02, "periods stored, loading");  // capacities are whole: 0.5 / 27 of a period
  EXPECT_NEAR(median(stored_loading), 8, 0.15 * 8);
  expect_within(stored_discharge, 5.45, 15.05, "periods stored, discharge");  // 0.5 / 12
  EXPECT_NEAR(median(stored_discharge), 11, 0.15 * 11);
  expect_within(share_stored, 0.19, 0.81, "initial inventory / capacity");  // 0.5 / 66
  EXPECT_NEAR(median(share_stored), 0.5, 0.15 * 0.5);
  expect_within(max_in_rates, 2.45, 16.05, "largest amount / rate");  // 0.5 / 12
  EXPECT_NEAR(median(max_in_rates), 8, 0.15 * 8);
  expect_within(min_amounts, 20, 120, "least amount");
  expect_within(fees, 10, 100, "fee");
  expect_within(revenues, 4.7, 5.6, "revenue");
  expect_within(fleet, 15, 25, "fleet capacity / production");
  expect_within(first_times, 0, 7, "first time");
  expect_within(speeds, 13, 17, "speed");
  expect_within(costs, 0.059, 0.095, "cost per km");
  expect_within(far_km, 3800, 15000, "loading to discharge");
  expect_within(near_km, 0, 600, "within a region");
  // 4800 vessels, so the share's standard deviation is 0.007; the selection of feasible instances may move it, too.
  EXPECT_NEAR(static_cast<double>(n_empty) / n_vessels, 0.55, 0.08);
}

TEST(MaritimeGenerator, SizesGrowFromTinyToHard) {
  std::size_t last = 0;
  for (const Size size : {Size::tiny, Size::easy, Size::medium, Size::hard}) {
    const Milp milp = generate_instance(maritime(), resolve_parameters(maritime(), size), 1);
    EXPECT_GT(milp.rows.size(), 1.5 * static_cast<double>(last));
    last = milp.rows.size();
  }
}

TEST(MaritimeGenerator, EveryInstanceIsFeasibleEvenIfNoVesselSails) {
  // The generator's argument: every vessel finishes its first call where it starts and ends its voyage there.  So the model must
  // keep a solution when every arc between two different ports is closed; small enough for SCIP at every size.
  for (const Size size : {Size::tiny, Size::easy, Size::medium, Size::hard}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Milp milp = generate_instance(maritime(), resolve_parameters(maritime(), size), seed);
      int n_closed = 0;
      for (auto& variable : milp.variables) {
        int from = 0, from_time = 0, to = 0, to_time = 0;
        if (std::sscanf(variable.name.c_str(), "x_(%d,%d),(%d,%d)", &from, &from_time, &to, &to_time) != 4) continue;
        if (from < 0 || to < 0 || from == to) continue;
        variable.upper = 0;
        ++n_closed;
      }
      EXPECT_GT(n_closed, 0);
      EXPECT_TRUE(solve(milp, "relpscost", 1).has_value()) << size_names[static_cast<std::size_t>(size)] << " " << seed;
    }
  }
}

TEST(MaritimeGenerator, TinyInstancesHaveOneOptimumWhateverTheBranchingRule) {
  const Parameters parameters = resolve_parameters(maritime(), Size::tiny);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Milp milp = generate_instance(maritime(), parameters, seed);
    const std::optional<double> relaxed = lp_optimum(milp);
    const std::optional<double> optimum = solve(milp, "relpscost", -1);
    ASSERT_TRUE(relaxed.has_value());
    ASSERT_TRUE(optimum.has_value());
    EXPECT_LE(*relaxed, *optimum + 1e-6 * std::abs(*optimum));
    for (const char* rule : {"pscost", "random", "fullstrong"}) {
      const std::optional<double> again = solve(milp, rule, -1);
      ASSERT_TRUE(again.has_value()) << rule;
      EXPECT_NEAR(*again, *optimum, 1e-6 * (1 + std::abs(*optimum))) << rule;  // SCIP's own gap and feasibility tolerances
    }
  }
}

TEST(MaritimeGenerator, ParametersThatLeaveNoInstanceAreAUsageError) {
  const auto expect_usage = [](const std::map<std::string, double, std::less<>>& overrides, const std::string& word) {
    const Parameters parameters = resolve_parameters(maritime(), Size::easy, overrides);
    Rng rng("maritime", 0);
    try {
      draw_maritime_data(parameters, rng);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      EXPECT_FALSE(error.hint().empty());
    }
  };
  expect_usage({{"vessels", 1}, {"discharge-ports", 20}}, "fleet's capacity");
  expect_usage({{"discharge-ports", 20}}, "fleet's capacity");
  expect_usage({{"horizon", 2}}, "first call");
  expect_usage({{"loading-regions", 6}, {"loading-ports", 6}, {"discharge-regions", 6}, {"discharge-ports", 12}, {"vessels", 30},
                {"max-distance", 4500}},
               "apart");
}

}  // namespace
}  // namespace bough::test
