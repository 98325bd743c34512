// SPDX-License-Identifier: BSD-3-Clause
#include "bench/timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace laneway::bench {

double quantile(std::vector<double> values, double q)
{
    const auto place = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size()));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 != 0) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::optional<Interval> median_interval(std::vector<double> values, double confidence)
{
    const auto n = static_cast<double>(values.size());
    const double tail = (1 - confidence) / 2;
    double log_probability = -n * std::numbers::ln2;  // For i values below the median, i = 0 here.
    double below = 0;                                 // For i values or fewer.
    std::size_t trimmed = 0;                          // Values that may be left out at either end.
    while (trimmed < values.size() / 2) {
        below += std::exp(log_probability);
        if (below > tail) break;
        const auto i = static_cast<double>(trimmed);
        log_probability += std::log((n - i) / (i + 1));
        ++trimmed;
    }
    if (trimmed == 0) return std::nullopt;
    std::ranges::sort(values);
    return Interval{values[trimmed - 1], values[values.size() - trimmed]};
}

}  // namespace laneway::bench
