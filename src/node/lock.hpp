// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

#include <atomic>

namespace laneway {

/// The lock that threads take before they use a channel. Nobody holds it while he waits for another process.
class ChannelLock {
public:
    /// From now on threads come one after the other. A thread that takes a lock waits until all that it has written is
    /// with the others, which takes as long as a short message.
    void expect_one_thread() { one_thread_ = true; }

    /// A thread's hold of the channel. Where the thread doesn't wait for others, it perhaps has none.
    class Hold {
    public:
        explicit Hold(ChannelLock& lock, bool waits = true) : lock_(lock)
        {
            while (!(holds_ = lock_.take()) && waits) sched_yield();
        }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold()
        {
            if (holds_) lock_.locked_.store(false, std::memory_order_release);
        }
        explicit operator bool() const { return holds_; }

    private:
        ChannelLock& lock_;
        bool holds_ = false;
    };

private:
    bool take()
    {
        if (!one_thread_) return !locked_.exchange(true, std::memory_order_acquire);
        if (locked_.load(std::memory_order_relaxed)) return false;  // by a caller of ours
        locked_.store(true, std::memory_order_relaxed);
        return true;
    }

    bool one_thread_ = false;
    std::atomic<bool> locked_{false};
};

}  // namespace laneway
