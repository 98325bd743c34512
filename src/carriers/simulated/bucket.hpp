// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// The token bucket of a lane: after a pause, bytes pass at once, and the bucket is full again when the lane
/// could have carried them. Times are those that bytes take on the lane (the generic cell rate algorithm, ITU-T
/// I.371).
class Bucket {
public:
    /// What the work of a message that begins takes, of which `message` is not of its bytes: less as much
    /// as passes at once out of `size`.
    Time take(Time now, Time work, Time message, Time size)
    {
        const Time behind = full_ > now ? full_ - now : 0;
        full_ = now + behind + work;
        return work - std::min(work - message, size - std::min(size, behind));
    }

private:
    Time full_ = 0;  ///< When it is full again.
};

}  // namespace laneway
