// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

namespace laneway::bench {

/// When a stopping rule looks at an interval, and how sure that must be at each look for the last
/// one to hold with the confidence asked for.
///
/// Who looks after every repetition and stops when he likes what he sees is wrong more often than a
/// single look is. So there are few looks, each at half as many repetitions again as the one before,
/// and they share what may go wrong (Bonferroni's inequality): wherever the rule stops, all of its
/// intervals hold together with `confidence` at least. Source: Armitage, McPherson and Rowe,
/// "Repeated significance tests on accumulating data", 1969, for what looking costs.
class Looks {
public:
    /// Of one after another of at most `repetitions`, the last of them included.
    Looks(int repetitions, double confidence);

    /// Whether to look after `done` repetitions, more than the last time.
    bool due(int done);

    /// Of the interval at each look.
    double confidence() const { return confidence_; }

private:
    std::vector<int> moments_;  ///< Numbers of repetitions to look at, the nearest one last.
    double confidence_;
};

}  // namespace laneway::bench
