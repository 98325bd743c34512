// SPDX-License-Identifier: BSD-3-Clause
#include "walks/folded.hpp"

#include "data/scratch.hpp"
#include "messages/messages.hpp"
#include "messages/pmpi.hpp"

namespace laneway {

Phases Folded::ranks(Phases phases) const
{
    for (Group& group : phases)
        for (int& member : group.members) member = order_.rank(acting(member));
    return phases;
}

std::vector<int> Folded::served_by(int actor) const
{
    std::vector<int> positions;
    for (int at = fold_.position_of(actor); at < fold_.position_of(actor + 1); ++at)
        positions.push_back(at);
    return positions;
}

void Folded::send(const Buffer& data) const
{
    Messages message(comm_);
    message.send(data, partner());
    message.wait();
}

void Folded::receive(const Buffer& data) const
{
    Messages message(comm_);
    message.receive(data, partner());
    message.wait();
}

Buffer Folded::take_in(const Buffer& input, const Buffer& result, MPI_Op op) const
{
    if (!paired()) return input;
    if (!acts()) {
        send(input);
        return input;
    }
    const bool in_place = input.data == result.data, is_second = position_ % 2 != 0;
    const Scratch room(in_place || is_second ? input.count : 0, input.type);
    const Buffer& other = in_place || is_second ? room.buffer() : result;
    receive(other);
    if (is_second) {
        if (!in_place) pmpi::copy(input, result, comm_);
        pmpi::reduce_local(other, result, op);
        return result;
    }
    pmpi::reduce_local(input, other, op);
    if (in_place) pmpi::copy(other, result, comm_);
    return result;
}

void Folded::give_out(const Buffer& result) const
{
    if (paired()) acts() ? send(result) : receive(result);
}

}  // namespace laneway
