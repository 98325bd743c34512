// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/amount.hpp"
#include "bench/operation.hpp"
#include "bench/start.hpp"

namespace laneway::bench {

/// What the command line asks for. Names (collectives, algorithms, types) are as typed; they get
/// their meaning in plan().
struct Options {
    enum class Task { measure, overhead, hops, probe, start, list, help };

    Task task = Task::measure;
    std::vector<std::string> collectives;
    std::vector<std::string> algorithms = {"all"};  ///< Also "name#label".
    std::map<std::string, double> delays;           ///< Factor by which a contestant is slowed.
    std::vector<Amount> counts = {{1}, {1000}, {100000}};
    std::string datatype;  ///< Empty: what suits.
    std::string op = "sum";
    std::optional<int> root = 0;  ///< None: the root rotates from repetition to repetition.
    bool in_place = false;
    Layout layout = Layout::equal;
    std::size_t cold = 0;  ///< Bytes of the cache that no buffer may still lie in; 0: warm.
    double memory = 1e9;   ///< Bytes that a process may use for buffers.
    int threads = 1;
    int least_ranks = 0;  ///< Also on so many ranks, twice as many and so on; 0: on all only.

    Sync sync = Sync::barrier;
    Arrival arrival;
    double seconds = 1.0;    ///< Per collective and count, shared by its algorithms.
    int repetitions = 1000;  ///< At most, for each algorithm of a collective and count.
    double precision = 0;    ///< Half the median's interval over the median that will do; 0: none.
    double confidence = 0.95;   ///< Of that interval.
    std::optional<int> warmup;  ///< None: as many as take a small part of the time.
    int inner_repetitions = 0;  ///< Calls in one repetition; 0: 1, or as the probe likes.
    bool verify = true;

    std::string probe;                           ///< Task::probe: which,
    std::vector<int> virtual_lanes = {1, 2, 4};  ///< with how many processes of a node.

    unsigned seed = 1;
    int run = 1;
    std::string binding = "all";
    std::string placement;  ///< Empty: not said.
    std::string out;        ///< Empty: standard output.
    std::string plan;       ///< A file of blocks; empty: none.
    std::string block;      ///< The name of the block that these options are of; empty: none.
};

/// A command line that makes no sense; what() says so in one line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads the command line; throws UsageError. Needs no MPI.
Options parse(int argc, char** argv);

/// The same for more words, what they don't say being as in `options`.
Options parse(Options options, const std::vector<std::string>& words);

/// The text of --help.
std::string usage();

/// The words of a list separated by commas.
std::vector<std::string> split(std::string_view list);

/// A number of at least `least`; throws UsageError that names the option.
template <class Number>
Number number(std::string_view option, std::string_view text, Number least)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least))
        throw UsageError("--" + std::string(option) + ": '" + std::string(text) +
                         "' is no number from " + std::to_string(least) + " up");
    return value;
}

}  // namespace laneway::bench
