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
    next_kept_ = half_ = reserved + (tags_ - reserved) / 2;
}

int Programs::take_tags(int count, int reserved, const Comm& world)
{
    find_tags(reserved, world);
    if (count > half_ - reserved) throw Error(MPI_ERR_TAG);
    if (next_tag_ < reserved || next_tag_ > half_ - count) next_tag_ = reserved;
    const int first = next_tag_;
    next_tag_ += count;
    return first;
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
