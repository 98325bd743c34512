// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>

namespace laneway {

/// Whether several threads of this process may call MPI at once, as far as the world is concerned.
bool may_call_in_threads();

/// Whether they ever may from now on, whatever the program begins. A session may have more threads than the world,
/// except in MPICH.
bool may_ever_call_in_threads();

/// A mutex of a process that may have several threads; in other processes it is one in name only. A thread that locks
/// it waits until the other processes have all that it has written, be that a message just sent.
class Mutex {
public:
    void lock()
    {
        if (is_needed_) mutex_.lock();
    }
    bool try_lock() { return !is_needed_ || mutex_.try_lock(); }
    void unlock()
    {
        if (is_needed_) mutex_.unlock();
    }

private:
    std::mutex mutex_;
    const bool is_needed_ = may_ever_call_in_threads();
};

}  // namespace laneway
