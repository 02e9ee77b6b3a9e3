// SPDX-License-Identifier: Apache-2.0
#include "bough/report/paper.hpp"

#include <algorithm>

namespace bough {
namespace {

constexpr auto none = std::nullopt;

// time, deviation, wins of 100, nodes, deviation: easy, medium, hard.  As printed, oddities too: pscost's 6194 nodes on easy
// independent sets, and 102 wins on medium auctions.
constexpr PaperResult results[] = {
    {"setcover", "fullstrong", {{{21.2, 6.5, 0, 19, 0}, {488.6, 145.4, 0, 183, 4}, {3601, 58, 0, none, none}}}},
    {"setcover", "pscost", {{{9.1, 2.6, 5, 286, 5}, {75.5, 14.6, 0, 2532, 32}, {2351, 52, 0, 83329, 1453}}}},
    {"setcover", "relpscost", {{{11.9, 5.7, 0, 56, 1}, {74.8, 15.7, 0, 1892, 47}, {1858, 20, 0, 49321, 1065}}}},
    {"setcover", "svmrank", {{{10.8, 3, 0, 170, 1}, {91.4, 2.6, 0, 1982, 44}, {2719, 29, 0, 42913, 1085}}}},
    {"setcover", "lambdamart", {{{9.5, 4.6, 4, 168, 28}, {77.8, 13.1, 0, 2005, 55}, {2432, 40, 0, 45823, 991}}}},
    {"setcover", "extratrees", {{{12.3, 1.3, 0, 174, 4}, {122.1, 3.3, 0, 2281, 58}, {3033, 64, 0, 60123, 1080}}}},
    {"setcover", "gcnn", {{{8.3, 1.6, 10, 140, 3}, {65.5, 1.1, 8, 1586, 45}, {1745, 39, 0, 31234, 487}}}},
    {"setcover", "film", {{{8.7, 2.5, 2, 145, 3}, {67.2, 1.2, 3, 1626, 16}, {1995, 38, 0, 37234, 820}}}},
    {"setcover", "gat", {{{9.8, 2.7, 9, 141, 8}, {57.4, 14.8, 11, 1467, 19}, {1574, 47, 8, 30812, 811}}}},
    {"setcover", "tgat", {{{6.8, 0.2, 70, 126, 9}, {45.6, 1.2, 78, 1332, 25}, {1376, 24, 92, 29452, 313}}}},
    {"auction", "fullstrong", {{{5.8, 2.2, 0, 7, 0}, {101, 22, 0, 79, 1}, {2034, 25, 0, 437, 5}}}},
    {"auction", "pscost", {{{3.1, 1, 3, 271, 4}, {22.2, 2.9, 1, 2844, 37}, {297, 5, 0, 14130, 206}}}},
    {"auction", "relpscost", {{{4.2, 1.2, 0, 12, 0}, {21.2, 2.2, 2, 717, 10}, {161, 3, 0, 5664, 71}}}},
    {"auction", "svmrank", {{{3.4, 1.3, 2, 79, 1}, {26.4, 2.8, 0, 911, 12}, {442, 7, 0, 6964, 137}}}},
    {"auction", "lambdamart", {{{2.9, 0.8, 40, 81, 1}, {16, 4.4, 63, 919, 17}, {241, 4, 0, 7179, 135}}}},
    {"auction", "extratrees", {{{3.9, 1.9, 1, 89, 1}, {37.6, 10.6, 0, 1022, 15}, {908, 15, 0, 11387, 207}}}},
    {"auction", "gcnn", {{{3.3, 1.6, 2, 78, 0}, {24.6, 3.5, 0, 708, 10}, {143, 1, 2, 5929, 94}}}},
    {"auction", "film", {{{3.7, 1.3, 0, 74, 0}, {30.2, 7.8, 0, 705, 13}, {265, 2, 0, 6421, 66}}}},
    {"auction", "gat", {{{2.7, 1.3, 42, 67, 0}, {17.3, 4.4, 34, 675, 7}, {89, 1, 95, 5635, 74}}}},
    {"auction", "tgat", {{{3.1, 1.1, 10, 76, 0}, {22.1, 2.8, 2, 690, 7}, {142, 1, 3, 5900, 83}}}},
    {"facility", "fullstrong", {{{33.2, 8.4, 0, 16, 0}, {229.4, 67.8, 0, 82, 0}, {784, 11, 0, 61, 1}}}},
    {"facility", "pscost", {{{25.1, 10, 0, 157, 1}, {143.5, 31.8, 0, 411, 8}, {544, 7, 0, 408, 5}}}},
    {"facility", "relpscost", {{{28.9, 9.5, 0, 24, 0}, {169.9, 37.7, 0, 131, 2}, {607, 6, 0, 121, 4}}}},
    {"facility", "svmrank", {{{26.4, 10.5, 1, 125, 1}, {136.3, 39.1, 1, 348, 6}, {536, 6, 0, 340, 6}}}},
    {"facility", "lambdamart", {{{27.8, 9.7, 0, 121, 1}, {141.6, 21.2, 0, 355, 4}, {550, 10, 0, 332, 6}}}},
    {"facility", "extratrees", {{{33.9, 8.7, 0, 143, 1}, {194.1, 21.7, 0, 412, 7}, {758, 11, 0, 399, 6}}}},
    {"facility", "gcnn", {{{24.6, 10.9, 5, 112, 1}, {130.2, 38.3, 2, 345, 5}, {519, 7, 1, 348, 6}}}},
    {"facility", "film", {{{22.1, 8.1, 6, 110, 2}, {127.1, 25.9, 3, 361, 7}, {501, 9, 1, 340, 5}}}},
    {"facility", "gat", {{{20.4, 9, 18, 107, 2}, {123.3, 14.2, 15, 329, 5}, {432, 8, 8, 328, 5}}}},
    {"facility", "tgat", {{{17.9, 8.7, 70, 99, 1}, {110.4, 22.6, 79, 304, 3}, {349, 5, 90, 301, 3}}}},
    {"indset", "fullstrong", {{{28.7, 13.1, 0, 9, 0}, {1550.4, 341.9, 0, 41, 0}, {3601, 55, 0, none, none}}}},
    {"indset", "pscost", {{{11.1, 3.7, 0, 6194, 79}, {834.8, 83.7, 0, 1889, 20}, {3483, 34, 0, 51230, 677}}}},
    {"indset", "relpscost", {{{11.8, 5.7, 0, 29, 0}, {143.8, 27.4, 1, 742, 9}, {2210, 32, 0, 2742, 30}}}},
    {"indset", "svmrank", {{{13.5, 5.1, 0, 59, 1}, {273.9, 75.4, 0, 583, 9}, {3036, 42, 0, 6852, 127}}}},
    {"indset", "lambdamart", {{{9.8, 2.7, 7, 61, 1}, {190.8, 20.8, 0, 795, 9}, {3071, 32, 0, 9171, 132}}}},
    {"indset", "extratrees", {{{13.1, 4.3, 0, 81, 1}, {1730.4, 203.4, 0, 5123, 85}, {3601, 64, 0, 40562, 674}}}},
    {"indset", "gcnn", {{{11.6, 5.5, 0, 51, 0}, {144.2, 32.9, 1, 1870, 23}, {2192, 40, 7, 2839, 51}}}},
    {"indset", "film", {{{17.5, 7, 0, 67, 0}, {230.2, 23.7, 0, 981, 10}, {3142, 43, 0, 41234, 760}}}},
    {"indset", "gat", {{{8.8, 3.6, 23, 47, 0}, {137, 39, 3, 1611, 16}, {2171, 25, 9, 2736, 49}}}},
    {"indset", "tgat", {{{8.5, 3.4, 70, 44, 0}, {96.1, 14.7, 95, 1464, 14}, {2126, 23, 84, 2753, 53}}}},
};

// 60, 120, 240, 480, 900, 1200, 2400, 3600 seconds
constexpr PaperReward rewards[] = {
    {"loadbalance", "fullstrong", {{42236, 84200, 168058, 335839, 629429, 839126, 1678126, 2517404}}},
    {"loadbalance", "pscost", {{41951, 83933, 168003, 336290, 630968, 841510, 1683792, 2526330}}},
    {"loadbalance", "gcnn", {{41960, 83944, 167997, 336272, 630889, 841383, 1683626, 2526162}}},
    {"loadbalance", "ei-oroas", {{41938, 83921, 168066, 336539, 631460, 842240, 1685519, 2529120}}},
    {"loadbalance", "nuri", {{41951, 83934, 168034, 336299, 630989, 841546, 1683857, 2527290}}},
    {"loadbalance", "gat", {{41952, 83949, 168068, 336408, 631120, 841685, 1684149, 2527838}}},
    {"loadbalance", "tgat", {{41952, 83950, 168123, 336654, 631675, 842527, 1686093, 2529981}}},
    {"maritime", "fullstrong", {{1828117, none, 7084200, 13506208, 24812337, 33215861, 66904807, 100815459}}},
    {"maritime", "pscost", {{1624580, none, 6621338, 13392385, 25288001, 33830325, 67957522, 102177927}}},
    {"maritime", "gcnn", {{1627863, none, 6576079, 13248266, 25123252, 33705099, 69139207, 103991280}}},
    {"maritime", "ei-oroas", {{1682022, none, 6926643, 14108146, 26743861, 36060519, 73039994, 109997616}}},
    {"maritime", "nuri", {{1744715, none, 7168752, 14516105, 27464789, 36760604, 74077350, 111507638}}},
    {"maritime", "gat", {{1690743, none, 6971475, 14163826, 26606932, 36171609, 73413862, 109926566}}},
    {"maritime", "tgat", {{1732502, none, 7118571, 14414492, 27272535, 37164971, 74892201, 112934222}}},
};

bool is_known(std::string_view policy) { return std::ranges::contains(results, policy, &PaperResult::policy); }

}  // namespace

std::span<const PaperResult> paper_results() { return results; }
std::span<const PaperReward> paper_rewards() { return rewards; }

std::optional<PaperFigures> paper_figures(std::string_view family, std::string_view size, std::string_view policy) {
  const auto column = std::ranges::find(paper_sizes, size);
  const auto row = std::ranges::find_if(results, [&](const PaperResult& result) { return result.family == family && result.policy == policy; });
  if (column == paper_sizes.end() || row == std::end(results)) return std::nullopt;
  return row->by_size[static_cast<std::size_t>(column - paper_sizes.begin())];
}

std::string paper_name(const PolicyInfo& policy) {
  if (!policy.scip_parameters.empty()) return policy.name;  // with parameters of its own it is another one
  // What it is counts more than what the suite calls it; a file name or a label of unknown meaning matches nothing.
  for (const std::string& name : {policy.network, policy.source}) {
    if (is_known(name)) return name;
  }
  return policy.name;
}

}  // namespace bough
