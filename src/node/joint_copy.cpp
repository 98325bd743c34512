// SPDX-License-Identifier: BSD-3-Clause
#include "node/joint_copy.hpp"

#include <sched.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace laneway {
namespace {

/// A block is half of a long message, one for each side. It is less where one side may lose its processor meanwhile. A
/// call of the system costs 2 us, as much as copying 16 KiB.
constexpr std::int64_t parts = 2;
constexpr std::int64_t least_block = 32 << 10;
constexpr std::int64_t largest_block = 256 << 10;

/// Looks until the system is asked whether the other side is still there.
constexpr int looks_at_most = 1000;

/// Whether a process was killed, be it that nobody has taken notice yet: it has no memory then.
bool is_gone(pid_t process)
{
    std::byte found{};
    const iovec here{&found, 1};
    const iovec there{nullptr, 1};
    return process_vm_readv(process, &here, 1, &there, 1, 0) < 0 && errno == ESRCH;
}

bool moved(const JointCopy::Ends& ends, std::int64_t first, std::int64_t length)
{
    const auto bytes = static_cast<std::size_t>(length);
    const iovec here{ends.here + first, bytes};
    const iovec there{reinterpret_cast<void*>(ends.there + static_cast<std::uint64_t>(first)),
                      bytes};
    const auto move = ends.reads ? process_vm_readv : process_vm_writev;
    return move(ends.process, &here, 1, &there, 1, 0) == length;
}

}  // namespace

bool JointCopy::begin()
{
    if (users_.load(std::memory_order_acquire) != 0) return false;
    taken_.store(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    failed_.store(0, std::memory_order_relaxed);
    outcome_.store(open, std::memory_order_relaxed);
    users_.store(2, std::memory_order_relaxed);
    return true;
}

std::int64_t JointCopy::block(std::int64_t length)
{
    return std::clamp((length + parts - 1) / parts, least_block, largest_block);
}

bool JointCopy::copy_block(const Ends& ends)
{
    const std::uint32_t all = blocks(ends.length);
    if (taken_.load(std::memory_order_relaxed) >= all) return false;
    const std::uint32_t mine = taken_.fetch_add(1, std::memory_order_relaxed);
    if (mine >= all) return false;
    const std::int64_t first = mine * block(ends.length);
    if (!moved(ends, first, std::min(block(ends.length), ends.length - first)))
        failed_.store(1, std::memory_order_relaxed);
    done_.fetch_add(1, std::memory_order_release);
    return true;
}

bool JointCopy::conclude(bool well)
{
    std::uint32_t said = open;
    const std::uint32_t mine = well ? well_ended : failed;
    return outcome_.compare_exchange_strong(said, mine, std::memory_order_acq_rel)
               ? well
               : said == well_ended;
}

void JointCopy::give_up(std::int64_t length, pid_t process)
{
    const std::uint32_t all = blocks(length);
    failed_.store(1, std::memory_order_relaxed);
    while (taken_.load(std::memory_order_relaxed) < all)
        if (taken_.fetch_add(1, std::memory_order_relaxed) < all)
            done_.fetch_add(1, std::memory_order_release);
    for (int looks = 0; !is_done(length); ++looks) {
        if (looks % looks_at_most == looks_at_most - 1 && is_gone(process)) return;
        sched_yield();
    }
}

bool JointCopy::may_enter(pid_t process, std::uint64_t there, const void* here, std::size_t bytes)
{
    std::vector<std::byte> found(bytes);
    const Ends ends{process, there, found.data(), static_cast<std::int64_t>(bytes), true};
    return moved(ends, 0, ends.length) && std::memcmp(found.data(), here, bytes) == 0;
}

}  // namespace laneway
