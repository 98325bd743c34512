// SPDX-License-Identifier: BSD-3-Clause
#include "walks/up.hpp"

#include <algorithm>

#include "messages/pmpi.hpp"

namespace laneway {
namespace {

using pmpi::copy;
using pmpi::reduce_local;

/// Children whose segments may arrive at once.
constexpr std::size_t at_once = 2;

int rooms_of(const Links& links, Up::Side side, bool direct)
{
    if (links.children.empty()) return 0;
    const int for_children = static_cast<int>(std::min(links.children.size(), at_once));
    return for_children + (side == Up::Side::left) - direct;
}

}  // namespace

Up::Up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes, const Links& links,
       Side side)
    : input_(input, bytes),
      result_(result, bytes),
      op_(op),
      links_(links),
      side_(side),
      direct_(links.is_root() && (side == Side::left || input.data != result.data)),
      rooms_(rooms_of(links, side, direct_)),
      scratch_(rooms_ * std::min(turns, segments()) * input_[0].count, input.type),
      arriving_{Messages(links.comm), Messages(links.comm)},
      leaving_(links.comm)
{
}

/// The room where the sum of a segment ends: the first of its rooms, or its place in the result.
Buffer Up::final_room(int number) const
{
    if (direct_) return result_[number];
    return scratch_.buffer().slice(number % turns * rooms_ * input_[0].count, input_[number].count);
}

/// The room where a child's sum arrives. From the right, it becomes the sum itself. Rooms take turns, counted from the
/// last child back, so that the last child's is the final room.
Buffer Up::room(int number, std::size_t child) const
{
    const std::size_t later = side_ == Side::right ? links_.children.size() - 1 - child : child;
    const int index = static_cast<int>(later % at_once) + (side_ == Side::left) - direct_;
    if (side_ == Side::right && later % at_once == 0) return final_room(number);
    const std::int64_t first = (number % turns * rooms_ + index) * input_[0].count;
    return scratch_.buffer().slice(first, input_[number].count);
}

void Up::receive(int number, std::size_t child)
{
    if (child >= links_.children.size() || number >= segments()) return;
    arriving_[static_cast<std::size_t>(number % turns)].receive(room(number, child),
                                                                links_.children[child], links_.tag);
}

void Up::combine(const Buffer& arrived, Buffer& sum) const
{
    if (side_ == Side::left) return reduce_local(arrived, sum, op_);
    reduce_local(sum, arrived, op_);
    sum = arrived;
}

void Up::segment(int number)
{
    leaving_.wait();
    for (int next = number == 0 ? 0 : number + 1; next <= number + 1; ++next)
        for (std::size_t child = 0; child < at_once; ++child) receive(next, child);
    if (number >= segments()) return;

    Buffer sum = input_[number];
    if (side_ == Side::left && !links_.children.empty()) {
        sum = final_room(number);
        if (sum.data != input_[number].data) copy(input_[number], sum, links_.comm);
    }
    const std::size_t children = links_.children.size();
    for (std::size_t child = 0; child < children; ++child) {
        arriving_[static_cast<std::size_t>(number % turns)].wait(child == 0 && children > 1 ? 1
                                                                                            : 0);
        combine(room(number, child), sum);
        if (child > 0) receive(number, child + 1);  // where the sum was
    }
    if (!links_.is_root())
        leaving_.send(sum, links_.parent, links_.tag);
    else if (sum.data != result_[number].data)
        copy(sum, result_[number], links_.comm);
}

void reduce_up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes,
               const Links& links, Up::Side side)
{
    Up up(input, result, op, bytes, links, side);
    for (int number = 0; number <= up.segments(); ++number) up.segment(number);
}

void reduce_up(const Buffer& input, const Buffer& result, MPI_Op op, std::int64_t bytes,
               const Tree& tree, const Order& order, int root, const Comm& comm)
{
    const int top = order.rank(0);
    const bool is_top = comm.rank() == top && top != root;
    const Scratch sum(is_top ? input.count : 0, input.type);
    reduce_up(input, is_top ? sum.buffer() : result, op, bytes, links_of(tree, order, comm));
    if (top == root) return;
    Messages last(comm);
    if (is_top) last.send(sum.buffer(), root);
    if (comm.rank() == root) last.receive(result, top);
    last.wait();
}

}  // namespace laneway
