// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void overlapping_buffers(const Allgather& call, const Decomposition& on)
{
    // Passes on blocks that are still arriving.
    const int size = on.world.size(), rank = on.world.rank();
    const std::int64_t length = call.result.count / size;
    const auto block = [&](int of) { return call.result.slice(of * length, length); };
    if (call.mine.data != block(rank).data) copy(call.mine, block(rank), on.world);
    Messages messages(on.world);
    for (int step = 0; step < size - 1; ++step) {
        messages.receive(block((rank - step - 1 + size) % size), (rank - 1 + size) % size, 0);
        messages.send(block((rank - step + size) % size), (rank + 1) % size, 0);
    }
    messages.wait();
}

static const RegisterWrong<Allgather> entry({.run = overlapping_buffers, .about = {}});

}  // namespace laneway::property
