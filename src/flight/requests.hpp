// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flight/functions.hpp"

namespace laneway::flight {

/// A request of a collective that is recorded.
struct Pending {
    std::int64_t handle;
    std::uint64_t record;  ///< the record of the latest operation
    bool is_persistent;
    /// Each start of a persistent one is recorded with these.
    Called called;
    std::uint64_t number;
    std::uint32_t communicator;
    std::uint32_t starts;
};

/// The requests by their handles: a table with open addressing, which wants no memory for a call.
class Requests {
public:
    std::size_t size() const { return size_; }

    Pending* find(std::int64_t handle)
    {
        for (std::size_t at = home(handle);; at = next(at)) {
            Pending& one = places_[at];
            if (!one.called.function) return nullptr;
            if (one.handle == handle) return &one;
        }
    }

    /// In place of one with the same handle, which has ended unseen.
    void insert(const Pending& pending)
    {
        if (2 * (size_ + 1) > places_.size()) grow();
        std::size_t at = home(pending.handle);
        while (places_[at].called.function && places_[at].handle != pending.handle) at = next(at);
        if (!places_[at].called.function) ++size_;
        places_[at] = pending;
    }

    /// Closes the gap: whatever lies behind it, and belongs before it, moves up.
    void erase(Pending& pending)
    {
        std::size_t gap = static_cast<std::size_t>(&pending - places_.data());
        for (std::size_t at = next(gap); places_[at].called.function; at = next(at)) {
            const std::size_t from_home = (at - home(places_[at].handle)) & (places_.size() - 1);
            const std::size_t from_gap = (at - gap) & (places_.size() - 1);
            if (from_home < from_gap) continue;
            places_[gap] = places_[at];
            gap = at;
        }
        places_[gap] = {};
        --size_;
    }

private:
    std::size_t home(std::int64_t handle) const
    {
        const std::uint64_t hash = static_cast<std::uint64_t>(handle) * 0x9e3779b97f4a7c15U;
        return (hash >> 32U) & (places_.size() - 1);
    }
    std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

    void grow()
    {
        std::vector<Pending> old(2 * places_.size());
        old.swap(places_);
        size_ = 0;
        for (const Pending& one : old)
            if (one.called.function) insert(one);
    }

    std::vector<Pending> places_ = std::vector<Pending>(64);
    std::size_t size_ = 0;
};

}  // namespace laneway::flight
