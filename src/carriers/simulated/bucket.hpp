// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "carriers/simulated/machine.hpp"

namespace laneway {

/// The token bucket of a lane. After a pause, bytes pass at once; the bucket is full again when the lane could
/// have carried them. Times are those that bytes take on the lane (the generic cell rate algorithm, ITU-T
/// I.371).
class Bucket {
public:
    /// The time that the `work` of a message takes that begins; of it, `message` is not for its bytes. As much
    /// as passes at once out of `size` takes none.
    Time take(Time now, Time work, Time message, Time size)
    {
        const Time behind = full_ > now ? full_ - now : 0;
        full_ = now + behind + work;
        return work - std::min(work - message, size - std::min(size, behind));
    }

private:
    Time full_ = 0;  ///< when the bucket is full again
};

}  // namespace laneway
