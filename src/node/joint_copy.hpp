// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laneway {

/// A copy from one process's memory to another's. Both make it at once where the system lets them into each other's
/// memory (process_vm_readv): the receiver reads blocks, the sender writes others. Each takes the next block that
/// nobody has taken. So a process that is late, or has lost its processor, holds up one block at most. This is the part
/// of it that both share, in memory that is zero at first.
class JointCopy {
public:
    /// Begins it anew, for the receiver, who owns it; false: a side still uses it.
    bool begin();
    /// This side has done with it.
    void end() { users_.fetch_sub(1, std::memory_order_release); }
    /// The receiver has begun it in vain: the sender knows nothing of it.
    void take_back() { users_.store(0, std::memory_order_relaxed); }

    /// A copy as one side sees it.
    struct Ends {
        pid_t process;        ///< the other side's process
        std::uint64_t there;  ///< address in that process's memory
        std::byte* here;
        std::int64_t length;
        bool reads;
    };
    /// Copies a block, if one is left; false: none is.
    bool copy_block(const Ends& ends);
    bool is_done(std::int64_t length) const
    {
        return done_.load(std::memory_order_acquire) == blocks(length);
    }
    /// Whether the system has kept one side from a block.
    bool has_failed() const { return failed_.load(std::memory_order_relaxed) != 0; }
    /// Whether it has ended well, for both sides alike: as the first of them says, once it is done or given up.
    bool conclude(bool well);
    /// Gives it up: from now on neither side touches the other's memory. Waits for the block that the other side is at,
    /// unless its `process` is no more.
    void give_up(std::int64_t length, pid_t process);

    /// Whether this process may read another one's memory, and so write to it: whether `bytes` bytes at `here` are also
    /// at `there` in its memory.
    static bool may_enter(pid_t process, std::uint64_t there, const void* here, std::size_t bytes);

private:
    static std::int64_t block(std::int64_t length);
    static std::uint32_t blocks(std::int64_t length)
    {
        return static_cast<std::uint32_t>((length + block(length) - 1) / block(length));
    }

    alignas(64) std::atomic<std::uint32_t> taken_;
    std::atomic<std::uint32_t> done_;
    std::atomic<std::uint32_t> failed_;
    std::atomic<std::uint32_t> users_;  ///< sides that have not done with it
    enum Outcome : std::uint32_t { open, well_ended, failed };
    std::atomic<std::uint32_t> outcome_;
};

}  // namespace laneway
