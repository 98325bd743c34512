// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace laneway {

/// The first calls on a communicator, which are the library's although settings choose something: many communicators
/// live for a few short calls alone (Settings::patience). All processes must count the same ones.
class EarlyCalls {
public:
    /// Whether calls are counted. Then those go to count() whose arguments the library takes, and all processes count
    /// them alike.
    bool are_counted() const { return are_counted_; }

    /// Whether all processes count by the same settings: not where their settings were found to differ, for the call
    /// that counts in which they did. Known once the settings are settled.
    bool are_counted_alike() const { return alike_; }

    /// Whether no call but this one has been counted.
    bool is_first() const { return calls_ == 1; }

    /// Counts a call of `bytes`, where the first `patience` calls are early. True: it is early; not if it is large, or
    /// if all that it needs `is_there`.
    bool count(std::int64_t bytes, int patience, bool is_there)
    {
        /// A large call takes natively as long as making the parts does, or longer: on a lane of 100 Gbit/s 84 us.
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
