// SPDX-License-Identifier: BSD-3-Clause
#include "bench/timing/looks.hpp"

#include <algorithm>

namespace laneway::bench {
namespace {

constexpr int first = 10;  // Repetitions: about the fewest for a shared interval.

}  // namespace

Looks::Looks(int repetitions, double confidence)
{
    for (int moment = first; moment < repetitions; moment += moment / 2) moments_.push_back(moment);
    moments_.push_back(repetitions);
    confidence_ = 1 - (1 - confidence) / static_cast<double>(moments_.size());
    std::ranges::reverse(moments_);
}

bool Looks::due(int done)
{
    if (moments_.empty() || done < moments_.back()) return false;
    while (!moments_.empty() && moments_.back() <= done) moments_.pop_back();
    return true;
}

}  // namespace laneway::bench
