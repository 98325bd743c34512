// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace laneway {

/// Picoseconds: whole numbers, so that a simulation is the same to the last digit wherever it runs.
using Time = std::uint64_t;

/// A time that depends on the length of a message, as the parameters of P-LogP do. It is known at some lengths, lies on
/// straight lines between them, and is the same beyond the first and the last. (Kielmann, Bal and Verstoep, "Fast
/// measurement of LogP parameters for message passing platforms", 2000.)
class Delays {
public:
    struct Point {
        std::int64_t bytes;
        double time;  ///< in picoseconds
    };

    Delays() = default;
    /// `points` are in ascending order of their lengths.
    explicit Delays(std::vector<Point> points) : points_(std::move(points)) {}

    Time of(std::int64_t bytes) const
    {
        if (points_.empty()) return 0;
        const auto after = std::ranges::lower_bound(points_, bytes, {}, &Point::bytes);
        if (after == points_.begin()) return whole(after->time);
        if (after == points_.end()) return whole(points_.back().time);
        const Point& before = *(after - 1);
        const double part = static_cast<double>(bytes - before.bytes) /
                            static_cast<double>(after->bytes - before.bytes);
        return whole(before.time + part * (after->time - before.time));
    }

private:
    static Time whole(double time) { return static_cast<Time>(std::llround(time)); }

    std::vector<Point> points_;
};

}  // namespace laneway
