// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/programs.hpp"

#include <mpi.h>

#include <algorithm>

#include "mpi/error.hpp"

namespace laneway {
namespace {

/// A program calls some few collectives with some few lengths; one of a pipeline may take a megabyte.
constexpr std::size_t kept_at_most = 16;

}  // namespace

std::shared_ptr<const Program> Programs::find(const ProgramKey& key)
{
    if (key.empty()) return nullptr;
    const auto found =
        std::ranges::find_if(latest_, [&](const auto& entry) { return entry.first == key; });
    if (found == latest_.end()) return nullptr;
    latest_.splice(latest_.begin(), latest_, found);
    return found->second;
}

void Programs::keep(ProgramKey key, std::shared_ptr<const Program> program)
{
    if (key.empty()) return;
    latest_.emplace_front(std::move(key), std::move(program));
    if (latest_.size() > kept_at_most) latest_.pop_back();
}

void Programs::find_tags(int reserved, const Comm& world)
{
    if (half_ != 0) return;
    tags_ = world.greatest_tag();
    room_ = (tags_ - reserved) / 2;
    next_kept_ = half_ = reserved + room_;
}

Programs::Tags Programs::take_tags(int count, int reserved, const Comm& world)
{
    find_tags(reserved, world);
    if (count > room_) throw Error(MPI_ERR_TAG);
    if (const auto left = room_ - given_out_ % room_; count > left) given_out_ += left;
    const std::int64_t before = given_out_;
    given_out_ += count;
    return {reserved + static_cast<int>(before % room_), before, given_out_};
}

bool Programs::are_free(const Tags& tags) const
{
    const std::scoped_lock lock(mutex_);
    return under_way_.empty() || tags.end - *under_way_.begin() <= room_;
}

Programs::InUse::InUse(Programs& programs, const Tags& tags) : programs_(programs), tags_(tags)
{
    const std::scoped_lock lock(programs_.mutex_);
    programs_.under_way_.insert(tags_.before);
}

Programs::InUse::~InUse()
{
    const std::scoped_lock lock(programs_.mutex_);
    programs_.under_way_.erase(tags_.before);
}

std::optional<int> Programs::keep_tags(int count, int reserved, const Comm& world)
{
    find_tags(reserved, world);
    if (count > tags_ - next_kept_) return std::nullopt;
    const int first = next_kept_;
    next_kept_ += count;
    return first;
}

}  // namespace laneway
