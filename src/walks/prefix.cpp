// SPDX-License-Identifier: BSD-3-Clause
#include "walks/prefix.hpp"

#include <utility>

#include "mpi/messages.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"
#include "mpi/segments.hpp"
#include "patterns/in_order.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// Segments that come from one process in turn; the next one may come while one is worked on.
class Arriving {
public:
    /// `from` may be none.
    Arriving(const Buffer& to, std::int64_t segment, int from, const Comm& comm)
        : to_(to, segment),
          from_(from),
          messages_(comm)
    {
        if (some()) messages_.receive(to_[0], from_);
    }

    bool some() const { return from_ != InOrder::none; }

    void await(int segment)
    {
        if (!some()) return;
        messages_.wait();
        messages_.receive(to_[segment + 1], from_);
    }

    Buffer operator[](int segment) const { return to_[segment]; }

private:
    Segments to_;
    int from_;
    Messages messages_;
};

}  // namespace

void prefix_chain(const Prefix& of, std::int64_t segment, const Comm& comm)
{
    const int rank = comm.rank();
    const bool first = rank == 0, last = rank == comm.size() - 1;
    const bool adds = of.inclusive || !last;
    const Scratch scratch(first || !adds ? 0 : of.input.count, of.input.type);
    const Buffer before = of.inclusive ? scratch.buffer() : of.result;
    const Buffer through = of.inclusive ? of.result : first ? of.input : scratch.buffer();
    if (adds && through.data != of.input.data) copy(of.input, through, comm);

    const Segments sums(through, segment);
    Arriving below(before, segment, rank - 1, comm);
    Messages leaving(comm);
    const int segments = Segments(of.input, segment).count();
    for (int at = 0; at < segments; ++at) {
        below.await(at);
        if (!first && adds) reduce_local(below[at], sums[at], of.op);
        leaving.wait();
        if (!last) leaving.send(sums[at], rank + 1);
    }
    leaving.wait();
}

void prefix_doubling(const Prefix& of, const Comm& comm)
{
    const int rank = comm.rank();
    const Scratch one(of.input.count, of.input.type), other(of.input.count, of.input.type);
    Buffer sum = one.buffer(), room = other.buffer();
    copy(of.input, sum, comm);
    if (of.inclusive && of.input.data != of.result.data) copy(of.input, of.result, comm);
    bool has_some = of.inclusive;
    for (int step = 1; step < comm.size(); step *= 2) {
        const int peer = rank ^ step;
        if (peer >= comm.size()) continue;
        Messages messages(comm);
        messages.receive(room, peer);
        messages.send(sum, peer);
        messages.wait();
        if (peer > rank) {
            reduce_local(sum, room, of.op);
            std::swap(sum, room);
            continue;
        }
        has_some ? reduce_local(room, of.result, of.op) : copy(room, of.result, comm);
        has_some = true;
        reduce_local(room, sum, of.op);
    }
}

void prefix_tree(const Prefix& of, std::int64_t segment, const Comm& comm)
{
    const InOrder node = in_order(comm.rank(), comm.size());
    const bool sends_up = node.end < comm.size();
    const auto only = [&](bool if_so) { return if_so ? of.input.count : 0; };
    const bool has_left = node.left != InOrder::none, has_right = node.right != InOrder::none;
    const int right = sends_up ? node.right : InOrder::none;
    const int parent = node.first > 0 ? node.parent : InOrder::none;
    const Scratch of_left(only(has_left), of.input.type), of_all(only(sends_up), of.input.type);
    const Scratch of_before(only(node.first > 0), of.input.type);
    const Scratch scratch(only(!of.inclusive), of.input.type);
    const Buffer& sum = of.inclusive ? of.result : scratch.buffer();  // with its own operand
    if (sum.data != of.input.data) copy(of.input, sum, comm);

    const Segments sums(sum, segment), all(of_all.buffer(), segment), results(of.result, segment);
    Arriving lower(of_left.buffer(), segment, node.left, comm);
    Arriving higher(of_all.buffer(), segment, right, comm);
    Arriving before(of_before.buffer(), segment, parent, comm);
    Messages leaving(comm);

    const auto up = [&](int at) {
        lower.await(at);
        if (!sends_up) return;
        higher.await(at);
        higher.some() ? reduce_local(sums[at], all[at], of.op) : copy(sums[at], all[at], comm);
        if (has_left) reduce_local(lower[at], all[at], of.op);
        leaving.send(all[at], node.parent);
    };
    const auto down = [&](int at) {
        before.await(at);
        if (before.some() && has_left) {
            leaving.send(before[at], node.left);
            reduce_local(before[at], lower[at], of.op);
        }
        if (has_left || before.some()) {
            const Buffer below = has_left ? lower[at] : before[at];
            reduce_local(below, sums[at], of.op);
            if (!of.inclusive) copy(below, results[at], comm);
        }
        if (has_right) leaving.send(sums[at], node.right);
    };
    // A segment comes down as many rounds after it went up as it takes to the root and back.
    const int segments = sums.count(), delay = 2 * node.depth;
    for (int at = 0; at < segments + delay; ++at) {
        leaving.wait();
        if (at < segments) up(at);
        if (at >= delay) down(at - delay);
    }
    leaving.wait();
}

}  // namespace laneway
