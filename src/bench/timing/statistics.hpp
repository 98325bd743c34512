// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace laneway::bench {

/// The value that a share of about `q` in [0, 1) of `values` is below; there must be one.
double quantile(std::vector<double> values, double q);

/// The middle value; for an even number of values, the mean of the two in the middle. There must be one.
double median(std::vector<double> values);

struct Interval {
    double low;
    double high;
};

/// The interval between order statistics that holds the median with a probability of at least `confidence`, whatever
/// the distribution. The number of values below the median is binomial. None where there are too few values. Source:
/// David and Nagaraja, "Order Statistics", 2003, 7.1.
std::optional<Interval> median_interval(std::vector<double> values, double confidence);

}  // namespace laneway::bench
