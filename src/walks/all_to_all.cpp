// SPDX-License-Identifier: BSD-3-Clause
#include "walks/all_to_all.hpp"

#include <deque>

#include "mpi/exchange.hpp"
#include "mpi/pmpi.hpp"
#include "mpi/scratch.hpp"

namespace laneway {

using pmpi::copy;

void all_to_all(const Buffer& input, const Partition& input_part, const Buffer& result,
                const Partition& result_part, int window, Distance distance, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    // In place, what leaves must be safe before its place is written to.
    const bool in_place = input.data == result.data;
    const Scratch saved(in_place ? input.count : 0, input.type);
    const Buffer leaving = in_place ? saved.buffer() : input;
    if (in_place) copy(input, leaving, comm);

    std::deque<Exchange> under_way;
    for (int step = 1; step < size; ++step) {
        const int to = (rank + distance(step, size)) % size;
        const int from = (rank - distance(step, size) + size) % size;
        if (under_way.size() == static_cast<std::size_t>(window)) {
            under_way.front().wait();
            under_way.pop_front();
        }
        Exchange& exchange = under_way.emplace_back(comm);
        exchange.receive(result_part.block(result, from), from);
        exchange.send(input_part.block(leaving, to), to);
    }
    if (!in_place) copy(input_part.block(input, rank), result_part.block(result, rank), comm);
    for (Exchange& exchange : under_way) exchange.wait();
}

}  // namespace laneway
