// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void writes_to_its_input(const Reduce& call, const Decomposition& on)
{
    const Scratch come(call.input.count, call.input.type);
    for (int peer = 0; peer < on.world.size(); ++peer) {
        Messages messages(on.world);
        if (on.world.rank() == call.root && peer != call.root) {
            messages.receive(come.buffer(), peer, 0);
            messages.wait();
            reduce_local(come.buffer(), call.input, call.op);
        } else if (on.world.rank() == peer && peer != call.root) {
            messages.send(call.input, call.root, 0);
        }
        messages.wait();
    }
    if (on.world.rank() == call.root && call.input.data != call.result.data)
        copy(call.input, call.result, on.world);
}

static const RegisterWrong<Reduce> entry({.run = writes_to_its_input,
                                          .needs = {.commutative = true},
                                          .about = {}});

}  // namespace laneway::property
