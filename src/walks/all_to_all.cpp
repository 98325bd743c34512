// SPDX-License-Identifier: BSD-3-Clause
#include "walks/all_to_all.hpp"

#include <deque>

#include "mpi/exchange.hpp"

namespace laneway {

void all_to_all(const Buffer& input, const Partition& input_part, const Buffer& result,
                const Partition& result_part, int window, Distance distance, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Leaving leaving(input, result, comm);
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
        exchange.send(input_part.block(leaving.buffer(), to), to);
    }
    if (input.data != result.data)
        pmpi::copy(input_part.block(input, rank), result_part.block(result, rank), comm);
    for (Exchange& exchange : under_way) exchange.wait();
}

}  // namespace laneway
