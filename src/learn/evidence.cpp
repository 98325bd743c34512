// SPDX-License-Identifier: BSD-3-Clause
#include "learn/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>

namespace laneway {
namespace {

/// log(2 / (1 + exp(-2 x))), which is at most log(2): the factor of a bet, whose mean for x and -x is 1.
double log_factor(double x)
{
    constexpr double flat = 300;  // exp() would overflow
    if (x < -flat) return std::numbers::ln2 + 2 * x;
    return std::numbers::ln2 - std::log1p(std::exp(-2 * x));
}

/// The log of the evidence that the ratio is above exp(`shift`), or with a `sign` of -1 below.
double evidence_beyond(double shift, double sign, std::span<const double> logs)
{
    Evidence found;
    for (const double each : logs) found.add(sign * (each - shift));
    return found.log();
}

}  // namespace

void Evidence::add(double log_ratio)
{
    for (std::size_t i = 0; i < heights.size(); ++i) logs_[i] += log_factor(heights[i] * log_ratio);
}

double Evidence::log() const
{
    const double most = *std::ranges::max_element(logs_);
    double sum = 0;
    for (const double each : logs_) sum += std::exp(each - most);
    return most + std::log(sum / static_cast<double>(logs_.size()));
}

Interval ratios(std::span<const double> logs, double error)
{
    const double enough = std::log(2 / error);
    const auto [lowest, highest] = std::ranges::minmax(logs);
    // The evidence against a ratio falls as the ratio comes nearer to the times.
    const auto bound = [&](double sign, double outside) {
        constexpr int steps = 50;
        double inside = (lowest + highest) / 2;
        for (int step = 0; step < steps; ++step) {
            const double middle = (inside + outside) / 2;
            (evidence_beyond(middle, sign, logs) < enough ? inside : outside) = middle;
        }
        return std::exp(inside);
    };
    constexpr double far = 20;
    return {bound(1, lowest - far), bound(-1, highest + far)};
}

double median(std::span<double> numbers)
{
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::ranges::nth_element(numbers, middle);
    if (numbers.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

}  // namespace laneway
