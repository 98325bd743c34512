// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace laneway::bench {

/// While one lives, a process under SCHED_RR runs like any other. Ranks that poll never leave their core: beside
/// them, processes that are still being started or ended would have to wait for long.
class OrdinaryTime {
public:
    OrdinaryTime();
    ~OrdinaryTime();
    OrdinaryTime(const OrdinaryTime&) = delete;
    OrdinaryTime& operator=(const OrdinaryTime&) = delete;

private:
    std::optional<int> priority_;  ///< The priority that all threads get back.
};

}  // namespace laneway::bench
