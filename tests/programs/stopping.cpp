// SPDX-License-Identifier: BSD-3-Clause
// How often the median lies in the interval that a race stops at, by simulation: looking after
// every block of ten, and by bench::Looks.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "bench/timing/looks.hpp"
#include "bench/timing/statistics.hpp"

using namespace laneway::bench;

namespace {

constexpr int trials = 4000;
constexpr int most = 1000;
constexpr int block = 10;
constexpr double precision = 0.1;
constexpr double confidence = 0.95;

struct Outcome {
    int covered = 0;
    int early = 0;
};

/// One race over skewed times whose median is 1, watched through `looks` where there are any.
void race(std::mt19937& generator, Looks* looks, Outcome& outcome)
{
    std::lognormal_distribution<> time(0, 0.5);
    std::vector<double> times;
    for (;;) {
        for (int i = 0; i < block; ++i) times.push_back(time(generator));
        const int done = static_cast<int>(times.size());
        if (done < most && looks != nullptr && !looks->due(done)) continue;
        const auto interval =
            median_interval(times, looks != nullptr ? looks->confidence() : confidence);
        const bool narrow =
            interval && (interval->high - interval->low) / 2 <= precision * median(times);
        if (!narrow && done < most) continue;
        outcome.early += done < most ? 1 : 0;
        outcome.covered += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
        return;
    }
}

}  // namespace

int main()
{
    std::mt19937 generator(1);
    Outcome every_block;
    Outcome by_looks;
    for (int trial = 0; trial < trials; ++trial) {
        race(generator, nullptr, every_block);
        Looks looks(most, confidence);
        race(generator, &looks, by_looks);
    }
    std::printf("{\"every_block\": %g, \"looks\": %g, \"early\": %g}\n",
                static_cast<double>(every_block.covered) / trials,
                static_cast<double>(by_looks.covered) / trials,
                static_cast<double>(by_looks.early) / trials);
}
