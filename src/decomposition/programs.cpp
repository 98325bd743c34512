// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/programs.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace laneway {
namespace {

/// An application calls some few collectives with some few lengths; the program of a pipeline may take a megabyte.
constexpr std::size_t kept_at_most = 16;

/// An execution gets the tags of so many slots at least, where so many executions find room. Window and segments make
/// so many slots of most programs.
constexpr int slots_alike = 32, executions_at_least = 256;

/// Bytes of the programs that are kept on all communicators of the process. Threads may keep programs at once: they
/// exceed the limit by one each at most.
std::atomic<std::size_t> bytes_of_all = 0;

}  // namespace

Programs::~Programs() { bytes_of_all -= bytes_; }

std::shared_ptr<const Program> Programs::find(const ProgramKey& key)
{
    if (key.empty()) return nullptr;
    const auto found = std::ranges::find(latest_, key, &Kept::key);
    if (found == latest_.end()) return nullptr;
    latest_.splice(latest_.begin(), latest_, found);
    return found->program;
}

void Programs::keep(ProgramKey key, std::shared_ptr<const Program> program)
{
    if (key.empty()) return;
    const std::size_t bytes = program->bytes();
    if (bytes > bytes_at_most) return;
    const auto no_room = [&] {
        return bytes_ + bytes > bytes_at_most || bytes_of_all + bytes > bytes_of_all_at_most;
    };
    while (!latest_.empty() && (latest_.size() == kept_at_most || no_room())) drop_last();
    if (no_room()) return;
    latest_.push_front({std::move(key), std::move(program), bytes});
    bytes_ += bytes;
    bytes_of_all += bytes;
}

void Programs::drop_last()
{
    bytes_ -= latest_.back().bytes;
    bytes_of_all -= latest_.back().bytes;
    latest_.pop_back();
}

void Programs::find_tags(int tags_of_text, const Comm& world)
{
    if (half_ != 0) return;
    tags_ = world.greatest_tag();
    const int reserved = reserved_ = world.tags_in_turns(tags_of_text);
    room_ = (tags_ - reserved) / 2;
    alike_ = std::min(slots_alike * tags_of_text, room_ / executions_at_least);
    next_kept_ = half_ = reserved + room_;
}

Programs::Tags Programs::take_tags(int count, int tags_of_text, const Comm& world)
{
    find_tags(tags_of_text, world);
    count = std::max(count, alike_);
    if (count > room_) throw NoTags();
    if (const auto left = room_ - given_out_ % room_; count > left) given_out_ += left;
    const std::int64_t before = given_out_;
    given_out_ += count;
    return {reserved_ + static_cast<int>(before % room_), before, given_out_};
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

int Programs::keep_tags(int count, int tags_of_text, const Comm& world)
{
    find_tags(tags_of_text, world);
    if (count > tags_ - next_kept_) throw NoTags();
    const int first = next_kept_;
    next_kept_ += count;
    return first;
}

}  // namespace laneway
