// SPDX-License-Identifier: BSD-3-Clause
#include "walks/all_to_all.hpp"

#include <algorithm>

#include "messages/exchange.hpp"

namespace laneway {

void all_to_all(const Buffer& input, const Partition& input_part, const Buffer& result,
                const Partition& result_part, int window, Distance distance, const Comm& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const Leaving leaving(input, result, comm);
    const auto copy_own = [&] {
        if (input.data != result.data)
            pmpi::copy(input_part.block(input, rank), result_part.block(result, rank), comm);
    };
    if (size == 1) copy_own();
    for (int first = 1; first < size; first += window) {
        Exchange exchange(comm);
        for (int step = first; step < std::min(first + window, size); ++step) {
            const int to = (rank + distance(step, size)) % size;
            const int from = (rank - distance(step, size) + size) % size;
            exchange.receive(result_part.block(result, from), from);
            exchange.send(input_part.block(leaving.buffer(), to), to);
        }
        if (first == 1) copy_own();
        exchange.wait();
    }
}

void to_partners(const Buffer& input, const Partition& input_part, const Buffer& result,
                 const Partition& result_part, const Comm& comm, std::int64_t most)
{
    const int rank = comm.rank(), size = comm.size();
    const Leaving leaving(input, result, comm);
    Exchange exchange(comm);
    for (int step = 1; step < size; ++step) {
        const int from = (rank - step + size) % size;
        if (result_part.size(from) > most) exchange.receive(result_part.block(result, from), from);
    }
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size;
        if (input_part.size(to) > most) exchange.send(input_part.block(leaving.buffer(), to), to);
    }
    if (input.data != result.data && input_part.size(rank) > 0)
        pmpi::copy(input_part.block(input, rank), result_part.block(result, rank), comm);
    exchange.wait();
}

}  // namespace laneway
