// SPDX-License-Identifier: BSD-3-Clause
#include "walks/prefix.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "messages/exchange.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
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

void prefix_multiplying(const Prefix& of, int radix, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Scratch scratch((std::min(radix, size) - 1) * of.input.count, of.input.type);
    const Scratch own(of.input.count, of.input.type);
    std::vector<Buffer> rooms;
    for (int other = 0; other + 1 < std::min(radix, size); ++other)
        rooms.push_back(scratch.buffer().slice(other * of.input.count, of.input.count));
    Buffer sum = own.buffer();  // the reduction of the groups of before
    copy(of.input, sum, comm);
    if (of.inclusive && of.input.data != of.result.data) copy(of.input, of.result, comm);
    bool has_some = of.inclusive;

    for (std::int64_t step = 1; step < size; step *= radix) {
        // Sums that nobody asks for in a later round need not be whole.
        const bool last = step * radix >= size;
        const int digit = static_cast<int>(rank / step % radix);
        const auto peer = [&](int other) { return rank + (other - digit) * step; };
        const int end =
            static_cast<int>(std::min<std::int64_t>(radix, digit + (size - 1 - rank) / step + 1));
        Messages messages(comm);
        for (int other = 0; other < end; ++other) {
            if (other == digit) continue;
            Buffer& room = rooms[static_cast<std::size_t>(other < digit ? other : other - 1)];
            if (other < digit || !last) messages.receive(room, static_cast<int>(peer(other)));
            if (other > digit || !last) messages.send(sum, static_cast<int>(peer(other)));
        }
        messages.wait();
        for (int other = digit - 1; other >= 0; --other) {
            const Buffer& room = rooms[static_cast<std::size_t>(other)];
            has_some ? reduce_local(room, of.result, of.op) : copy(room, of.result, comm);
            has_some = true;
            if (!last) reduce_local(room, sum, of.op);
        }
        for (int other = digit + 1; other < end && !last; ++other) {
            Buffer& room = rooms[static_cast<std::size_t>(other - 1)];
            reduce_local(sum, room, of.op);
            std::swap(sum, room);
        }
    }
}

void prefix_by_parts(const Prefix& of, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Partition part(of.input.count, size);
    const std::int64_t own = part.size(rank);
    const Scratch scratch(size * own, of.input.type);
    // Each rank's operand of this part; then the reduction of all up to that rank.
    const auto sum = [&](int other) { return scratch.buffer().slice(other * own, own); };
    const auto adds = [&](int other) { return of.inclusive || other < size - 1; };
    const auto has_result = [&](int other) { return of.inclusive || other > 0; };

    Exchange messages(comm);
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size, from = (rank - step + size) % size;
        if (adds(from)) messages.receive(sum(from), from);
        if (adds(rank)) messages.send(part.block(of.input, to), to);
    }
    if (adds(rank)) copy(part.block(of.input, rank), sum(rank), comm);
    messages.wait();
    for (int other = 1; other < size && adds(other); ++other)
        reduce_local(sum(other - 1), sum(other), of.op);

    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size, from = (rank - step + size) % size;
        if (has_result(rank)) messages.receive(part.block(of.result, from), from);
        if (has_result(to)) messages.send(sum(of.inclusive ? to : to - 1), to);
    }
    if (has_result(rank))
        copy(sum(of.inclusive ? rank : rank - 1), part.block(of.result, rank), comm);
    messages.wait();
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
