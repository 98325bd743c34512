// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trial.hpp"

/// Which cases there are.
namespace laneway::in_process {

struct Options {
    long cases = 1000;
    long machines = 0;  ///< with every algorithm on each; 0: `cases` says when it is over
    bool all = false;
    std::uint64_t seed = 1;
    std::optional<long> only;
    int least = 1, most = 17;  ///< ranks
    std::string collective, algorithm;
    long messages =
        1L << 40;  ///< after which no further case begins, nor is a larger one carried out
    bool with_wrong = false;
    bool brackets = false;  ///< cases of the reproducible mode, or of an algorithm that is named
    bool whole = false;     ///< whether operators get whole messages where algorithms claim it
    bool types = false;     ///< nothing but a look at datatypes
};

/// The names of the algorithms that are asked for. Throws std::invalid_argument where there is none.
std::vector<Names> algorithms_of(const Options& options);

/// Visits the cases that are asked for, eligible ones alone, by number, until a visit is false. Throws
/// std::invalid_argument where there is no such algorithm.
///
/// Cases of brackets: every machine, or drawn ones, and on each every value of everything.
///
/// Drawn cases go through machine after machine, with ranks from the least to the most in turn. On each they go
/// through the algorithms in turn, with the kinds of elements in turn; count, root, in place and tunables are by
/// chance. So every algorithm is on as many machines of each size as any other, with each kind of elements as often.
void for_each_case(const Options& options,
                   const std::function<bool(long number, const Case& the_case)>& visit);

}  // namespace laneway::in_process
