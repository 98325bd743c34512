// SPDX-License-Identifier: BSD-3-Clause
// Messages through memory that processes share: here both ends are in one process, so that each step is known.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "node_pair.hpp"

namespace laneway {
namespace {

using cases::Register;
using namespace node_pair;

/// From a slot's own bytes to several times what a ring holds.
constexpr std::size_t lengths[] = {0,     1,     24,    25,     64,     8191,   8192,
                                   65535, 65536, 65537, 100000, 131071, 131072, 1000003};

const Register every_length("messages of all lengths arrive, whoever comes first", [] {
    for (const bool enters : {false, true}) {
        Two two(enters);
        unsigned seed = 0;
        for (const std::size_t length : lengths) {
            for (const bool receiver_first : {false, true}) {
                Bytes sent = data(length, ++seed), got(length);
                NodeMessage* in = receiver_first ? receive(*two.b, 0, got, 5) : nullptr;
                NodeMessage* const out = send(*two.a, 1, sent, 5);
                if (!receiver_first) in = receive(*two.b, 0, got, 5);
                two.go_on();
                finish(*two.a, out);
                finish(*two.b, in);
                TRUE(got == sent);
            }
        }
        TRUE(!two.a->is_busy() && !two.b->is_busy());
    }
});

const Register any_order("any of several messages may be received first", [] {
    for (const bool enters : {false, true}) {
        Two two(enters);
        constexpr int number = 300;  // more than there are slots
        std::vector<Bytes> sent, got;
        std::vector<NodeMessage*> out, in;
        for (int tag = 0; tag < number; ++tag) {
            sent.push_back(data(lengths[static_cast<std::size_t>(tag) % std::size(lengths)],
                                static_cast<unsigned>(tag)));
            got.emplace_back(sent.back().size());
        }
        for (int tag = 0; tag < number; ++tag)
            out.push_back(send(*two.a, 1, sent[static_cast<std::size_t>(tag)], tag));
        for (int tag = number; tag-- > 0;) {
            in.push_back(receive(*two.b, 0, got[static_cast<std::size_t>(tag)], tag));
            two.go_on();
            TRUE(is_over(in.back()));  // though none of the earlier ones is wanted yet
        }
        for (NodeMessage* const one : out) finish(*two.a, one);
        for (NodeMessage* const one : in) finish(*two.b, one);
        TRUE(got == sent);
    }
});

const Register in_order("messages of one tag and context arrive in order, those of others apart",
                        [] {
                            Two two;
                            Bytes first = data(10, 1), second = data(200000, 2),
                                  third = data(10, 3), other = data(10, 4);
                            Bytes got_first(10), got_second(200000), got_third(10), got_other(10);
                            std::vector<NodeMessage*> out{
                                send(*two.a, 1, first, 1), send(*two.a, 1, second, 1),
                                send(*two.a, 1, third, 1), send(*two.a, 1, other, 1, 1)};
                            std::vector<NodeMessage*> in{receive(*two.b, 0, got_other, 1, 1),
                                                         receive(*two.b, 0, got_first, 1),
                                                         receive(*two.b, 0, got_second, 1),
                                                         receive(*two.b, 0, got_third, 1)};
                            two.go_on();
                            for (NodeMessage* const one : out) finish(*two.a, one);
                            for (NodeMessage* const one : in) finish(*two.b, one);
                            TRUE(got_first == first && got_second == second && got_third == third &&
                                 got_other == other);
                        });

const Register both_ways("long messages pass each other", [] {
    for (const bool enters : {false, true}) {
        Two two(enters);
        Bytes there = data(3000000, 1), back = data(3000000, 2), got_there(3000000),
              got_back(3000000);
        NodeMessage* const messages[] = {send(*two.a, 1, there, 0), send(*two.b, 0, back, 0),
                                         receive(*two.b, 0, got_there, 0),
                                         receive(*two.a, 1, got_back, 0)};
        two.go_on();
        for (const int index : {0, 3}) finish(*two.a, messages[index]);
        for (const int index : {1, 2}) finish(*two.b, messages[index]);
        TRUE(got_there == there && got_back == back);
    }
});

const Register late("a process that is late keeps no more than its ring holds", [] {
    Two two;
    Bytes one = data(4096, 1);
    int ahead = 0;
    while (is_over(send(*two.a, 1, one, 0)) && ahead < 1000) ++ahead;
    TRUE(ahead > 8 && ahead <= 64);
});

const Register truncated("a message that is too long for its receive is an error of that one", [] {
    for (const bool enters : {false, true}) {
        Two two(enters);
        for (const std::size_t length :
             {std::size_t{100}, std::size_t{20000}, std::size_t{300000}}) {
            Bytes sent = data(length, 1), guarded(length, 0xEE), next = data(8, 2), got_next(8);
            NodeMessage* const out = send(*two.a, 1, sent, 0);
            NodeMessage* const after = send(*two.a, 1, next, 0);
            NodeMessage* in = nullptr;
            const Elements part{guarded.data(), static_cast<int>(length / 2), MPI_BYTE,
                                MPI_COMM_WORLD};
            EQUAL(two.b->receive(part, 0, 0, 0, &in), MPI_SUCCESS);
            NodeMessage* const in_next = receive(*two.b, 0, got_next, 0);
            two.go_on();
            finish(*two.a, out);
            finish(*two.a, after);
            finish(*two.b, in, MPI_ERR_TRUNCATE);
            finish(*two.b, in_next);
            TRUE(std::all_of(guarded.begin() + static_cast<std::ptrdiff_t>(length / 2),
                             guarded.end(), [](unsigned char byte) { return byte == 0xEE; }));
            TRUE(got_next == next);
        }
    }
});

const Register copies_in_turn("a copy that only its sender knows to be done is not begun anew", [] {
    Two two(true);
    Bytes first = data(300000, 1), second = data(300000, 2), got_first(300000), got_second(300000);
    NodeMessage* const in = receive(*two.b, 0, got_first, 0);
    NodeMessage* const out = send(*two.a, 1, first, 0);
    two.b->progress();  // answers
    while (two.a->progress()) {
    }
    finish(*two.a, out);
    NodeMessage* const next_out = send(*two.a, 1, second, 0);
    NodeMessage* const next_in = receive(*two.b, 0, got_second, 0);
    two.go_on();
    finish(*two.a, next_out);
    finish(*two.b, in);
    finish(*two.b, next_in);
    TRUE(got_first == first && got_second == second);
});

const Register many("rings of many processes keep apart", [] {
    constexpr int processes = NodeChannel::most;
    SharedMemory memory = SharedMemory::create(NodeChannel::bytes(processes));
    std::vector<SharedMemory> others;
    for (int rank = 1; rank < processes; ++rank)
        others.push_back(SharedMemory::open(memory.name()));
    std::vector<std::unique_ptr<NodeChannel>> all;
    all.push_back(std::make_unique<NodeChannel>(std::move(memory), processes, 0, true));
    for (int rank = 1; rank < processes; ++rank)
        all.push_back(std::make_unique<NodeChannel>(
            std::move(others[static_cast<std::size_t>(rank - 1)]), processes, rank, true));
    const auto of = [&](int rank) -> NodeChannel& { return *all[static_cast<std::size_t>(rank)]; };
    for (int rank = 0; rank < processes; ++rank) {
        Bytes sent = data(3000, static_cast<unsigned>(rank)), got(3000);
        const int to = (rank * 5 + 1) % processes == rank ? (rank + 1) % processes
                                                          : (rank * 5 + 1) % processes;
        NodeMessage* const out = send(of(rank), to, sent, 0);
        NodeMessage* const in = receive(of(to), rank, got, 0);
        while (of(rank).progress() || of(to).progress()) {
        }
        finish(of(rank), out);
        finish(of(to), in);
        TRUE(got == sent);
    }
});

const Register kept_apart("shared memory is nobody else's, and has no name that lasts", [] {
    SharedMemory memory = SharedMemory::create(4096);
    const SharedMemory::Name name = memory.name();
    const auto file = static_cast<int>(name.descriptor);
    struct stat status{};
    EQUAL(fstat(file, &status), 0);
    EQUAL(status.st_mode & 0777U, 0600U);
    EQUAL(status.st_nlink, 0U);
    EQUAL(ftruncate(file, 0), -1);  // whoever has it cannot have the others end by SIGBUS

    SharedMemory::Name wrong = name;
    wrong.random[0] ^= 1;
    TRUE(!SharedMemory::open(wrong).start());
    wrong = name;
    wrong.bytes = 8192;  // beyond the file's end whoever touches it would end by SIGBUS
    TRUE(!SharedMemory::open(wrong).start());
    TRUE(SharedMemory::open(name).start());
    const std::size_t before = SharedMemory::held();
    memory.close();
    TRUE(!SharedMemory::open(name).start());
    EQUAL(SharedMemory::held(), before);
    memory = {};
    EQUAL(SharedMemory::held(), before - 4096);
});

}  // namespace
}  // namespace laneway
