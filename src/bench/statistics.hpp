// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace laneway::bench {

/// The value that a share of about `q` in [0, 1) of `values` is below; there must be one.
inline double quantile(std::vector<double> values, double q)
{
    const auto place = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size()));
    std::ranges::nth_element(values, values.begin() + place);
    return values[static_cast<std::size_t>(place)];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

}  // namespace laneway::bench
