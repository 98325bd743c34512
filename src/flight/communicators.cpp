// SPDX-License-Identifier: BSD-3-Clause
#include "flight/communicators.hpp"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <span>
#include <utility>

#include "data/datatype.hpp"
#include "library/identity.hpp"

namespace laneway::flight {
namespace {

constexpr std::uint64_t of_world = 1, of_group = 2, of_unknown = 3, of_groups = 4;

/// A number that follows from two, and from no other two that anybody will meet (the finalizer of SplitMix64).
std::uint64_t mixed(std::uint64_t one, std::uint64_t other)
{
    std::uint64_t mix = (one + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U ^ other;
    mix = (mix ^ (mix >> 30U)) * 0xbf58476d1ce4e5b9U;
    mix = (mix ^ (mix >> 27U)) * 0x94d049bb133111ebU;
    return mix ^ (mix >> 31U);
}

std::uint64_t mixed(const std::vector<int>& members)
{
    return std::accumulate(members.begin(), members.end(), std::uint64_t{members.size()},
                           [](std::uint64_t mix, int member) {
                               return mixed(mix, static_cast<std::uint64_t>(member));
                           });
}

/// The ranks of a group in MPI_COMM_WORLD, which is freed; MPI_UNDEFINED for processes of another world.
std::vector<int> members_of(MPI_Group group)
{
    int size = 0;
    PMPI_Group_size(group, &size);
    std::vector<int> own(static_cast<std::size_t>(size)), members(own.size(), MPI_UNDEFINED);
    std::iota(own.begin(), own.end(), 0);
    if (world_is_there()) {
        MPI_Group world = MPI_GROUP_NULL;
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_translate_ranks(group, size, own.data(), world, members.data());
        PMPI_Group_free(&world);
    }
    PMPI_Group_free(&group);
    return members;
}

/// A communicator, as the library describes it.
Known looked_at(MPI_Comm comm)
{
    Known known{};
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    known.is_inter = inter != 0;
    PMPI_Comm_rank(comm, &known.rank);
    PMPI_Comm_size(comm, &known.size);
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    known.members = members_of(group);
    if (!inter) return known;
    PMPI_Comm_remote_group(comm, &group);
    std::vector<int> others = members_of(group);
    if (others < known.members) std::swap(others, known.members);
    known.members.insert(known.members.end(), others.begin(), others.end());
    return known;
}

/// Puts ranks into as few runs as there are from the first one on.
void describe(std::span<const int> members, Communicator& into)
{
    std::uint32_t runs = 0;
    for (std::size_t at = 0; at < members.size(); ++runs) {
        const int first = members[at];
        const int step = at + 1 < members.size() ? members[at + 1] - first : 1;
        int last = first;
        for (++at; at < members.size() && members[at] - last == step && step > 0; ++at)
            last = members[at];
        if (runs < into.ranks.size()) into.ranks.at(runs) = {first, last, step};
    }
    into.runs = runs;
}

}  // namespace

std::int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

const Known* Communicators::of(MPI_Comm comm)
{
    {
        const std::scoped_lock lock(mutex_);
        const auto found = known_.find(number_of(comm));
        if (found != known_.end())
            return found->second->slot < communicators ? found->second.get() : nullptr;
    }
    int inter = 0;
    // The call itself is to say that a handle is none.
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return nullptr;
    return keep(comm, unknown(comm));
}

/// MPI_COMM_WORLD, or a communicator that was made by a function that is not recorded.
std::unique_ptr<Known> Communicators::unknown(MPI_Comm comm)
{
    auto known = std::make_unique<Known>(looked_at(comm));
    if (world_is_there() && comm == MPI_COMM_WORLD) {
        known->slot = entry_for(*known, {mixed(of_world, 0), false});
        return known;
    }
    const std::uint64_t key = mixed(of_unknown, mixed(known->members));
    known->slot = entry_for(*known, {mixed(key, times_made(key)), true});
    return known;
}

const Known* Communicators::keep(MPI_Comm comm, std::unique_ptr<Known> known)
{
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Known>& place = known_[number_of(comm)];
    if (place) replaced_.push_back(std::move(place));
    place = std::move(known);
    changes_.fetch_add(1, std::memory_order_acq_rel);
    return place->slot < communicators ? place.get() : nullptr;
}

std::uint64_t Communicators::times_made(std::uint64_t key)
{
    const std::scoped_lock lock(mutex_);
    return made_[key]++;
}

std::uint32_t Communicators::entry_for(const Known& known, const Origin& origin)
{
    std::uint32_t slot = communicators;
    {
        const std::scoped_lock lock(mutex_);
        if (entries_ < communicators) {
            slot = entries_++;
        } else if (!freed_.empty()) {
            slot = freed_.front();
            freed_.pop_front();
        }
    }
    if (slot == communicators) return slot;
    Communicator& its = file_.communicator(slot);
    its.identity = 0;  // meanwhile nobody reads it
    std::atomic_thread_fence(std::memory_order_release);
    its.number.store(0, std::memory_order_relaxed);
    its.made = now();
    its.size = static_cast<std::int32_t>(known.members.size());
    its.rank = known.rank;
    its.is_inter = known.is_inter;
    its.is_alone = origin.is_alone;
    its.is_freed = 0;
    its.by = origin.by;
    its.by_number = origin.number;
    its.parent = origin.parent;
    describe(known.members, its);
    std::atomic_thread_fence(std::memory_order_release);
    its.identity = origin.identity;
    return slot;
}

void Communicators::add(const Function& by, const Known& parent, std::uint64_t number, int tag,
                        MPI_Comm made)
{
    if (made == MPI_COMM_NULL) return;
    // Its processes alone make it: nobody else of the parent counts the call.
    const bool by_group = by.name == "comm_create_group", by_groups = by.name == "intercomm_create";
    // A communicator that is under way yet must not be asked.
    auto known =
        std::make_unique<Known>(by.name.find("dup") != by.name.npos ? parent : looked_at(made));
    std::uint64_t key = mixed(file_.communicator(parent.slot).identity, number);
    if (by_group || by_groups) {
        key = by_group ? mixed(file_.communicator(parent.slot).identity, of_group) : of_groups;
        key = mixed(mixed(key, static_cast<std::uint64_t>(tag)), mixed(known->members));
        key = mixed(key, times_made(key));
    }
    const bool is_alone = file_.communicator(parent.slot).is_alone != 0;
    const auto by_number = static_cast<std::uint32_t>(&by - functions.data()) + 1;
    known->slot = entry_for(
        *known, {mixed(key, mixed(known->members)), is_alone, by_number, parent.slot, number});
    keep(made, std::move(known));
}

Communicators::Freeing::Freeing(Communicators& all, MPI_Comm comm)
    : all_(all),
      handle_(number_of(comm))
{
    const std::scoped_lock lock(all_.mutex_);
    const auto found = all_.known_.find(handle_);
    if (found == all_.known_.end()) return;
    known_ = std::move(found->second);
    all_.known_.erase(found);
    all_.changes_.fetch_add(1, std::memory_order_acq_rel);
}

void Communicators::Freeing::over(bool gone)
{
    if (!known_) return;
    const std::scoped_lock lock(all_.mutex_);
    if (!gone) {
        all_.known_.try_emplace(handle_, std::move(known_));
        return;
    }
    if (known_->slot >= communicators) return;
    all_.file_.communicator(known_->slot).is_freed = 1;
    all_.freed_.push_back(known_->slot);
}

}  // namespace laneway::flight
