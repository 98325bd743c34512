// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/phases.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace laneway {

Factors prime_factors(int number)
{
    Factors factors;
    for (int factor = 2; number > 1; ++factor)
        for (; number % factor == 0; number /= factor) factors.push_back(factor);
    return factors;
}

Factors few_factors(int number, int radix)
{
    Factors factors;
    for (int factor = radix; factor > 1; --factor)
        for (; number % factor == 0; number /= factor) factors.push_back(factor);
    for (const int factor : prime_factors(number)) factors.push_back(factor);
    return factors;
}

Factors radix_factors(int size, int radix)
{
    Factors factors;
    for (; size >= radix; size /= radix) factors.push_back(radix);
    if (size > 1) factors.push_back(size);
    return factors;
}

int product(const Factors& factors)
{
    return std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>());
}

Phases near_first(int process, const Factors& factors)
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

Phases far_first(int process, const Factors& factors)
{
    Phases phases = near_first(process, factors);
    std::ranges::reverse(phases);
    return phases;
}

namespace {

/// The distances of Swing are (1 - (-2)^(step + 1)) / 3: even processes go there, odd ones back.
int swing_peer(int process, int step, int processes)
{
    int power = -2;
    for (int i = 0; i < step; ++i) power *= -2;
    const int distance = (1 - power) / 3 * (process % 2 == 0 ? 1 : -1);
    return ((process + distance) % processes + processes) % processes;
}

}  // namespace

/// From process 0, every process is reached by some of the steps. Take three times its number, less the parity of
/// that. It is twice a number in base -2 whose digits are those steps, with signs in turn. The last step, which is
/// beyond the modulus, makes the number of steps as odd as the process.
Phases swing(int process, int processes)
{
    Phases phases;
    const bool is_odd = process % 2 == 1;
    std::int64_t digits = (3 * std::int64_t{process} - is_odd) / 2;
    bool moved = false;  // whether by an odd number of steps
    for (int step = 0; 1 << step < processes; ++step) {
        const bool is_last = 2 << step == processes;
        const bool second = is_last ? is_odd != moved : digits % 2 != 0;
        if (second) digits -= moved ? -1 : 1;
        digits /= -2;
        moved = moved != second;
        const int peer = swing_peer(process, step, processes);
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
