// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace laneway {

/// The first calls on a communicator, which are the library's although settings choose something: many communicators
/// live for a few short calls alone (Settings::patience). All processes must count the same ones.
class EarlyCalls {
public:
    /// Calls are counted: they are to go to count() if the library takes their arguments, which all processes then
    /// count alike.
    bool are_counted() const { return are_counted_; }

    /// All processes count by the same settings: not where these were found to differ, for which the call counts in
    /// which they were. Known once these are settled.
    bool are_counted_alike() const { return alike_; }

    /// No call but this one has been counted.
    bool is_first() const { return calls_ == 1; }

    /// Counts a call of `bytes` where so many have `patience`. True: it is early; not if it is large, or all that it
    /// needs `is_there`.
    bool count(std::int64_t bytes, int patience, bool is_there)
    {
        /// Natively it takes as long as making the parts does, or longer: on a lane of 100 Gbit/s 84 us.
        constexpr std::int64_t large = 1 << 20;
        ++calls_;
        are_counted_ =
            calls_ < std::max(patience, 2);  // the second one must not be taken for the first
        return calls_ <= patience && bytes < large && !is_there;
    }

    /// The processes have agreed on their settings, which were (not) `alike`.
    void settle(bool alike)
    {
        alike_ = alike;
        are_counted_ = are_counted_ && alike;
    }

    /// Nothing is ever chosen here.
    void end() { are_counted_ = false; }

private:
    int calls_ = 0;
    bool are_counted_ = true;
    bool alike_ = true;
};

}  // namespace laneway
