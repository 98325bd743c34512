// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace laneway::bench {

/// While one lives, a process under SCHED_RR runs like any other: beside ranks that poll, and never
/// leave their core, those that are still being started or ended would have to wait for long.
class OrdinaryTime {
public:
    OrdinaryTime();
    ~OrdinaryTime();
    OrdinaryTime(const OrdinaryTime&) = delete;
    OrdinaryTime& operator=(const OrdinaryTime&) = delete;

private:
    std::optional<int> priority_;  ///< What all threads get back.
};

}  // namespace laneway::bench
