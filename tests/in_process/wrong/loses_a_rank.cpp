// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void loses_a_rank(const Scan& call, const Decomposition& on)
{
    // Elements that come are passed on without those that are here.
    const Scratch before(call.input.count, call.input.type);
    const int rank = on.world.rank(), last = on.world.size() - 1;
    Messages messages(on.world);
    if (rank > 0) messages.receive(before.buffer(), rank - 1, 0);
    messages.wait();
    if (call.input.data != call.result.data) copy(call.input, call.result, on.world);
    if (rank > 0) reduce_local(before.buffer(), call.result, call.op);
    if (rank < last) messages.send(rank > 1 ? before.buffer() : call.result, rank + 1, 0);
    messages.wait();
}

static const RegisterWrong<Scan> entry({.run = loses_a_rank, .about = {}});

}  // namespace laneway::property
