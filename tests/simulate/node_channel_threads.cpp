// SPDX-License-Identifier: BSD-3-Clause
// Several threads at both ends of a node channel, and what is skipped where there is one.
#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "node_pair.hpp"

namespace laneway {
namespace {

using cases::Register;
using namespace node_pair;

/// So many messages from one end to the other, in turn, whoever else uses both meanwhile.
void exchange(Two& two, int tag, int number)
{
    for (int turn = 0; turn < number; ++turn) {
        const std::size_t length = turn % 500 == 0 ? 100000 : 40;
        Bytes sent = data(length, static_cast<unsigned>(tag * number + turn)), got(length);
        NodeMessage* const in = receive(*two.b, 0, got, tag);
        NodeMessage* const out = send(*two.a, 1, sent, tag);
        while (!is_over(in) || !is_over(out)) {
            two.a->progress();
            two.b->progress();
        }
        finish(*two.a, out);
        finish(*two.b, in);
        TRUE(got == sent);
    }
}

const Register several("several threads use one channel at once", [] {
    constexpr int number = 50000;
    for (const bool enters : {false, true}) {
        Two two(enters);
        std::array<std::thread, 3> threads;
        for (int tag = 0; tag < static_cast<int>(threads.size()); ++tag)
            threads[static_cast<std::size_t>(tag)] =
                std::thread(exchange, std::ref(two), tag, number);
        for (std::thread& each : threads) each.join();
        TRUE(!two.a->is_busy() && !two.b->is_busy());
    }
});

const Register one("told that there is one thread, it carries the same", [] {
    Two two(true);
    two.a->use_in_one_thread();
    two.b->use_in_one_thread();
    exchange(two, 0, 400);
    TRUE(!two.a->is_busy() && !two.b->is_busy());
});

}  // namespace
}  // namespace laneway
