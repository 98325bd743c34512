// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "decomposition/components.hpp"
#include "mpi/segments.hpp"

namespace laneway {

/// The sums of the blocks of the lanes that a process serves. The first contribution to a block arrives at the place
/// of its sum, others in a room.
class Sums {
public:
    /// A contribution under way.
    struct Arrival {
        int lane, block;
        Buffer place;
        bool is_first;
    };

    /// `has_input`: the sums begin with the input, which stands at their place.
    Sums(std::vector<Segments> inputs, std::vector<Segments> sums, bool has_input, MPI_Op op)
        : inputs_(std::move(inputs)),
          sums_(std::move(sums)),
          blocks_(static_cast<std::size_t>(inputs_[0].count())),
          begun_(inputs_.size() * blocks_, has_input),
          op_(op)
    {
    }

    Buffer input(int lane, int block) const
    {
        return inputs_[static_cast<std::size_t>(lane)][block];
    }
    Buffer place(int lane, int block) const { return sums_[static_cast<std::size_t>(lane)][block]; }
    bool has_begun(int lane, int block) const { return begun_[index(lane, block)]; }

    /// The sum, or the input where nothing was added.
    Buffer sum(int lane, int block) const
    {
        return has_begun(lane, block) ? place(lane, block) : input(lane, block);
    }

    /// In the order in which they are added.
    Arrival expect(int lane, int block, const Buffer& room)
    {
        const Buffer sum = place(lane, block);
        const bool is_first = !has_begun(lane, block);
        begun_[index(lane, block)] = true;
        return {lane, block, is_first ? sum : room.slice(0, sum.count), is_first};
    }
    void add(const Arrival& arrival) const
    {
        const auto [lane, block, at, is_first] = arrival;
        if (at.count > 0) reduce_local(is_first ? input(lane, block) : at, place(lane, block), op_);
    }

private:
    std::size_t index(int lane, int block) const
    {
        return static_cast<std::size_t>(lane) * blocks_ + static_cast<std::size_t>(block);
    }

    std::vector<Segments> inputs_, sums_;
    std::size_t blocks_;
    std::vector<bool> begun_;
    MPI_Op op_;
};

}  // namespace laneway
