// SPDX-License-Identifier: BSD-3-Clause
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "messages/messages.hpp"
#include "schedule/recorder.hpp"
#include "wrong.hpp"

namespace laneway::property {

static void shares_temporaries(const Bcast& call, const Decomposition& on)
{
    // Segments under way at once use one temporary.
    const Scratch shared(call.data.count, call.data.type);
    const auto segment = [&](int at) {
        const std::int64_t half = call.data.count / 2;
        const Buffer data = call.data.slice(at * half, half);
        const Buffer temporary = shared.buffer().slice(0, half);
        if (on.world.rank() == call.root) copy(data, temporary, on.world);
        Messages messages(on.world);
        for (int peer = 0; on.world.rank() == call.root && peer < on.world.size(); ++peer)
            if (peer != call.root) messages.send(temporary, peer, 0);
        if (on.world.rank() != call.root) messages.receive(temporary, call.root, 0);
        messages.wait();
        if (on.world.rank() != call.root) copy(temporary, data, on.world);
    };
    if (Recorder* const recorder = Recorder::current()) recorder->concurrently(2, 2, segment);
    if (call.data.count % 2 == 1) {
        Messages last(on.world);
        const Buffer data = call.data.slice(call.data.count - 1, 1);
        for (int peer = 0; on.world.rank() == call.root && peer < on.world.size(); ++peer)
            if (peer != call.root) last.send(data, peer, 0);
        if (on.world.rank() != call.root) last.receive(data, call.root, 0);
        last.wait();
    }
}

static const RegisterWrong<Bcast> entry({.run = shares_temporaries,
                                         .needs = {.regular = true},
                                         .about = {}});

}  // namespace laneway::property
