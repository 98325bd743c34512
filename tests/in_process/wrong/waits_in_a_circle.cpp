// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void waits_in_a_circle(const Alltoall& call, const Decomposition& on)
{
    // Everyone waits for its left before it tells its right.
    const int size = on.world.size(), rank = on.world.rank();
    const std::int64_t length = call.result.count / size;
    for (int step = 1; step < size; ++step) {
        const int from = (rank - step + size) % size, to = (rank + step) % size;
        Messages first(on.world), then(on.world);
        first.receive(call.result.slice(from * length, length), from, 0);
        first.wait();
        then.send(call.input.slice(to * length, length), to, 0);
        then.wait();
    }
}

static const RegisterWrong<Alltoall> entry({.run = waits_in_a_circle, .about = {}});

}  // namespace laneway::property
