// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/phases.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace laneway {

std::vector<int> prime_factors(int number)
{
    std::vector<int> factors;
    for (int factor = 2; number > 1; ++factor)
        for (; number % factor == 0; number /= factor) factors.push_back(factor);
    return factors;
}

std::vector<int> radix_factors(int size, int radix)
{
    std::vector<int> factors;
    for (; size >= radix; size /= radix) factors.push_back(radix);
    if (size > 1) factors.push_back(size);
    return factors;
}

int product(const std::vector<int>& factors)
{
    return std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>());
}

Phases near_first(int process, const std::vector<int>& factors)
{
    Phases phases;
    int step = 1;
    for (const int factor : factors) {
        Group& group = phases.emplace_back(Group{{}, process / step % factor});
        for (int place = 0; place < factor; ++place)
            group.members.push_back(process + (place - group.place) * step);
        step *= factor;
    }
    return phases;
}

Phases far_first(int process, const std::vector<int>& factors)
{
    Phases phases = near_first(process, factors);
    std::ranges::reverse(phases);
    return phases;
}

namespace {

/// The distances of Swing are (1 - (-2)^(step + 1)) / 3: those with an even number go there, the others back.
int swing_peer(int process, int step, int processes)
{
    int power = -2;
    for (int i = 0; i < step; ++i) power *= -2;
    const int distance = (1 - power) / 3 * (process % 2 == 0 ? 1 : -1);
    return ((process + distance) % processes + processes) % processes;
}

/// What the steps from `step` on lead to from `process`, by part.
std::vector<int> swing_reach(int process, int step, int processes)
{
    if (1 << step == processes) return {process};
    std::vector<int> reach = swing_reach(process, step + 1, processes);
    std::ranges::copy(swing_reach(swing_peer(process, step, processes), step + 1, processes),
                      std::back_inserter(reach));
    return reach;
}

}  // namespace

Phases swing(int process, int processes)
{
    const std::vector<int> reach = swing_reach(0, 0, processes);
    const auto part = static_cast<int>(std::ranges::find(reach, process) - reach.begin());
    Phases phases;
    int parts = processes;  // that its groups still have in common
    for (int step = 0; parts > 1; ++step, parts /= 2) {
        const int peer = swing_peer(process, step, processes);
        const bool second = part % parts >= parts / 2;
        if (second)
            phases.push_back({{peer, process}, 1});
        else
            phases.push_back({{process, peer}, 0});
    }
    return phases;
}

int mirrored(int part, int parts)
{
    int process = 0;
    for (int bit = 1; bit < parts; bit *= 2) process = process * 2 + (part & bit ? 1 : 0);
    return process;
}

}  // namespace laneway
