// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void wrong_order(const Allreduce& call, const Decomposition& on)
{
    // A ring adds the elements that come on the wrong side.
    const int size = on.world.size(), rank = on.world.rank();
    const Scratch leaving(call.input.count, call.input.type),
        come(call.input.count, call.input.type);
    copy(call.input, leaving.buffer(), on.world);
    if (call.input.data != call.result.data) copy(call.input, call.result, on.world);
    for (int step = 1; step < size; ++step) {
        Messages messages(on.world);
        messages.receive(come.buffer(), (rank - 1 + size) % size, 0);
        messages.send(leaving.buffer(), (rank + 1) % size, 0);
        messages.wait();
        copy(come.buffer(), leaving.buffer(), on.world);
        reduce_local(come.buffer(), call.result, call.op);
    }
}

static const RegisterWrong<Allreduce> entry({.run = wrong_order, .about = {}});

}  // namespace laneway::property
