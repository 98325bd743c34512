// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mutex>

namespace laneway {

/// Several threads of this process may call MPI at once, as far as the world is concerned.
bool may_call_in_threads();

/// The same from now on, whatever the program begins: a session may have more threads than the world, but MPICH's.
bool may_ever_call_in_threads();

/// A mutex of a process that may have several threads, and one in name only where it has not: who takes a lock waits until
/// all that he has written is with the other processes, be that a message that he has just sent.
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
