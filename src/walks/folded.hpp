// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <vector>

#include "data/buffer.hpp"
#include "layout/order.hpp"
#include "messages/comm.hpp"
#include "patterns/fold.hpp"
#include "patterns/phases.hpp"

namespace laneway {

/// Neighbours that act as one in a reduction, as one of them sees it. The order must outlive it.
class Folded {
public:
    /// The first process of a pair acts, or `root` where it is one of the pair.
    Folded(const Fold& fold, const Order& order, const Comm& comm, int root)
        : fold_(fold),
          order_(order),
          comm_(comm),
          root_(order.position(root)),
          position_(order.position(comm.rank()))
    {
    }
    Folded(const Fold& fold, const Order& order, const Comm& comm)
        : Folded(fold, order, comm, order.rank(0))
    {
    }

    bool acts() const { return acting(actor()) == position_; }
    bool paired() const { return fold_.paired(position_); }
    int actors() const { return fold_.actors(); }
    int actor() const { return fold_.actor_of(position_); }
    /// The actor that the root is, or is one of.
    int root() const { return fold_.actor_of(root_); }

    /// Phases of actors, as phases of their ranks.
    Phases ranks(Phases phases) const;
    int position() const { return position_; }
    /// Positions that an actor acts for, the lowest first.
    std::vector<int> served_by(int actor) const;

    /// @name Messages to and from the other process of a pair
    /// @{
    void send(const Buffer& data) const;
    void receive(const Buffer& data) const;
    /// @}

    /// The operand of an actor: its input, or, reduced with its neighbour's, the result.
    Buffer take_in(const Buffer& input, const Buffer& result, MPI_Op op) const;
    /// Sends the result from the process that acts to its neighbour.
    void give_out(const Buffer& result) const;

private:
    int acting(int actor) const { return actor == root() ? root_ : fold_.position_of(actor); }
    int partner() const { return order_.rank(Fold::partner(position_)); }

    const Fold fold_;
    const Order& order_;
    const Comm& comm_;
    int root_;
    int position_;
};

}  // namespace laneway
