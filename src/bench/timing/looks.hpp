// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace laneway::bench {

/// The moments when a stopping rule looks at an interval, and how sure the interval must be at each look. So the last
/// one holds with the confidence asked for.
///
/// A rule that looks after every repetition, and stops when it likes what it sees, is wrong more often than a single
/// look is. So there are few looks, each at half as many repetitions again as the one before. They share what may go
/// wrong (Bonferroni's inequality): wherever the rule stops, all of its intervals hold together with `confidence` at
/// least. Source: Armitage, McPherson and Rowe, "Repeated significance tests on accumulating data", 1969, for what
/// looking costs.
class Looks {
public:
    /// The looks at up to `repetitions` repetitions, made one after another. One look is at the last of them.
    Looks(int repetitions, double confidence);

    /// Whether to look after `done` repetitions, which are more than the last time.
    bool due(int done);

    /// The confidence of the interval at each look.
    double confidence() const { return confidence_; }

private:
    std::vector<int> moments_;  ///< Numbers of repetitions to look at, the nearest one last.
    double confidence_;
};

}  // namespace laneway::bench
