// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "carriers/simulated/machine.hpp"
#include "schedule/schedule.hpp"

namespace laneway {

/// When a simulated machine did each step, noted where that is asked for. Data.
struct Trace {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit Trace(const Schedule& schedule)
        : began(schedule.steps().size(), 0),
          ended(schedule.steps().size(), 0),
          after(schedule.steps().size(), none),
          end_after(schedule.strands().size(), none),
          ready(schedule.messages().size(), 0),
          held(schedule.messages().size(), 0)
    {
    }

    /// @name By step
    /// @{
    std::vector<Time> began, ended;
    std::vector<std::uint32_t> after;  ///< a step of another strand that it had to wait for
    /// @}

    /// By strand: a step of another strand that it had to wait for before its end was noticed.
    std::vector<std::uint32_t> end_after;
    /// @name By message that is sent
    /// @{
    std::vector<Time> ready;  ///< when it could have gone, if everything had been free
    std::vector<Time> held;   ///< for how long links between lanes held it back
    /// @}

    /// A message on a lane.
    struct Passage {
        std::uint32_t lane;
        bool comes;  ///< else it leaves
        std::uint32_t message;
        Time began, ended;
    };
    std::vector<Passage> passages;
};

}  // namespace laneway
