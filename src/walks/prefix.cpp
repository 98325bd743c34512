// SPDX-License-Identifier: BSD-3-Clause
#include "walks/prefix.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "data/segments.hpp"
#include "messages/exchange.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"
#include "patterns/in_order.hpp"
#include "patterns/two_tree.hpp"
#include "walks/side_by_side.hpp"

namespace laneway {

using pmpi::copy;
using pmpi::reduce_local;

namespace {

/// Segments that come from one process in turn; the next one may come while one is worked on.
class Arriving {
public:
    /// `from` may be none.
    Arriving(const Buffer& to, std::int64_t segment, int from, int tag, const Comm& comm)
        : to_(to, segment),
          from_(from),
          tag_(tag),
          messages_(comm)
    {
        if (some()) messages_.receive(to_[0], from_, tag_);
    }

    bool some() const { return from_ != InOrder::none; }

    void await(int segment)
    {
        if (!some()) return;
        messages_.wait();
        messages_.receive(to_[segment + 1], from_, tag_);
    }

    Buffer operator[](int segment) const { return to_[segment]; }

private:
    Segments to_;
    int from_, tag_;
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
    Arriving below(before, segment, rank - 1, 0, comm);
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

namespace {

/// Segments that go up and down a tree in order, as one process sees them. In a step, one goes up and one comes down.
/// A segment comes down as many steps later as it takes to the root and back.
class UpAndDownInOrder {
public:
    UpAndDownInOrder(const Prefix& of, std::int64_t segment, const InOrder& tree, int tag,
                     const Comm& comm);

    /// Steps. In one more, nothing but sends is waited for.
    int segments() const { return sums_.count() + delay_; }
    void segment(int number);

private:
    void up(int at);
    void down(int at);

    const Prefix of_;
    const InOrder tree_;
    const bool sends_up_;
    const int delay_, tag_;
    const Comm& comm_;
    const Scratch of_left_, of_all_, of_before_, scratch_;
    const Buffer sum_;  ///< with one's own operand
    const Segments sums_, all_, results_;
    Arriving lower_, higher_, before_;
    Messages leaving_;
};

UpAndDownInOrder::UpAndDownInOrder(const Prefix& of, std::int64_t segment, const InOrder& tree,
                                   int tag, const Comm& comm)
    : of_(of),
      tree_(tree),
      sends_up_(tree.end < comm.size()),
      delay_(2 * tree.depth),
      tag_(tag),
      comm_(comm),
      of_left_(tree.left != InOrder::none ? of.input.count : 0, of.input.type),
      of_all_(sends_up_ ? of.input.count : 0, of.input.type),
      of_before_(tree.first > 0 ? of.input.count : 0, of.input.type),
      scratch_(of.inclusive ? 0 : of.input.count, of.input.type),
      sum_(of.inclusive ? of.result : scratch_.buffer()),
      sums_(sum_, segment),
      all_(of_all_.buffer(), segment),
      results_(of.result, segment),
      lower_(of_left_.buffer(), segment, tree.left, tag, comm),
      higher_(of_all_.buffer(), segment, sends_up_ ? tree.right : InOrder::none, tag, comm),
      before_(of_before_.buffer(), segment, tree.first > 0 ? tree.parent : InOrder::none, tag,
              comm),
      leaving_(comm)
{
    if (sum_.data != of.input.data) copy(of.input, sum_, comm);
}

void UpAndDownInOrder::segment(int number)
{
    leaving_.wait();
    if (number < sums_.count()) up(number);
    if (number >= delay_ && number < segments()) down(number - delay_);
}

void UpAndDownInOrder::up(int at)
{
    lower_.await(at);
    if (!sends_up_) return;
    higher_.await(at);
    higher_.some() ? reduce_local(sums_[at], all_[at], of_.op) : copy(sums_[at], all_[at], comm_);
    if (lower_.some()) reduce_local(lower_[at], all_[at], of_.op);
    leaving_.send(all_[at], tree_.parent, tag_);
}

void UpAndDownInOrder::down(int at)
{
    before_.await(at);
    if (before_.some() && lower_.some()) {
        leaving_.send(before_[at], tree_.left, tag_);
        reduce_local(before_[at], lower_[at], of_.op);
    }
    if (lower_.some() || before_.some()) {
        const Buffer below = lower_.some() ? lower_[at] : before_[at];
        reduce_local(below, sums_[at], of_.op);
        if (!of_.inclusive) copy(below, results_[at], comm_);
    }
    if (tree_.right != InOrder::none) leaving_.send(sums_[at], tree_.right, tag_);
}

}  // namespace

void prefix_tree(const Prefix& of, std::int64_t segment, const Comm& comm)
{
    UpAndDownInOrder walk(of, segment, in_order(comm.rank(), comm.size()), 0, comm);
    for (int step = 0; step <= walk.segments(); ++step) walk.segment(step);
}

void prefix_two_trees(const Prefix& of, std::int64_t segment, const Comm& comm)
{
    const auto trees = two_tree_in_order(comm.rank(), comm.size());
    const Partition halves(of.input.count, 2);
    const auto by = [&](int half) {
        return UpAndDownInOrder(
            {halves.block(of.input, half), halves.block(of.result, half), of.op, of.inclusive},
            segment, trees[static_cast<std::size_t>(half)], half, comm);
    };
    std::array<UpAndDownInOrder, 2> both{by(0), by(1)};
    const int depth = two_tree_in_order_depth(comm.size());
    side_by_side(both, {depth - trees[0].depth, depth - trees[1].depth});
}

}  // namespace laneway
