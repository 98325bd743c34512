// SPDX-License-Identifier: BSD-3-Clause
// A node channel where a message doesn't end as it began: given up, refused by the system, nowhere wanted.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "node_pair.hpp"

namespace laneway {
namespace {

using cases::Register;
using namespace node_pair;

/// The number of a process that is no more.
pid_t nobody()
{
    const pid_t child = fork();
    if (child == 0) _exit(0);
    EQUAL(waitpid(child, nullptr, 0), child);
    return child;
}

const Register given_up("what is given up touches no memory, and holds up nothing", [] {
    for (const bool enters : {false, true}) {
        for (const std::size_t length :
             {std::size_t{100}, std::size_t{100000}, std::size_t{500000}}) {
            Two two(enters);
            Bytes sent = data(length, 1), got(length), untouched(length, 0xEE);
            // A sender that gives up has its message received all the same; its memory is another's by then.
            Bytes gone = sent;
            if (NodeMessage* const out = send(*two.a, 1, gone, 1)) two.a->give_up(out);
            std::ranges::fill(gone, 0);
            NodeMessage* const in = receive(*two.b, 0, got, 1);
            two.go_on();
            finish(*two.b, in);
            TRUE(got == sent);

            if (NodeMessage* const lost = receive(*two.b, 0, untouched, 2)) two.b->give_up(lost);
            Bytes after = data(length, 3);
            NodeMessage* const out = send(*two.a, 1, after, 3);
            NodeMessage* const wanted = receive(*two.b, 0, got, 3);
            two.go_on();
            finish(*two.a, out);
            finish(*two.b, wanted);
            TRUE(got == after);
            TRUE(std::ranges::all_of(untouched, [](unsigned char byte) { return byte == 0xEE; }));
            TRUE(!two.a->is_busy() && !two.b->is_busy());
        }
    }
});

const Register given_up_copies(
    "a copy that one side gives up ends for the other one, with the data where it is the receiver",
    [] {
        constexpr std::size_t length = 1000000;
        for (const bool sender : {true, false}) {
            for (const int steps : {0, 1, 2}) {
                Two two(true);
                Bytes sent = data(length, 1), got(length), gone = sent;
                NodeMessage* const out = send(*two.a, 1, gone, 0);
                NodeMessage* const in = receive(*two.b, 0, got, 0);
                for (int step = 0; step < steps; ++step) two.a->progress();  // blocks have left
                TRUE(!is_over(out) && !is_over(in));
                sender ? two.a->give_up(out) : two.b->give_up(in);
                std::ranges::fill(gone, sender ? 0 : gone.front());
                if (!sender) std::ranges::fill(got, 0xEE);
                two.go_on();
                if (sender) {
                    finish(*two.b, in);
                    TRUE(got == sent);
                } else {
                    finish(*two.a, out);
                    TRUE(std::ranges::all_of(got, [](unsigned char byte) { return byte == 0xEE; }));
                }
                TRUE(!two.a->is_busy() && !two.b->is_busy());

                Bytes next = data(length, 2);
                NodeMessage* const next_out = send(*two.a, 1, next, 0);
                NodeMessage* const next_in = receive(*two.b, 0, got, 0);
                two.go_on();
                finish(*two.a, next_out);
                finish(*two.b, next_in);
                TRUE(got == next);
            }
        }
    });

const Register given_up_beside_the_dead(
    "who gives a copy up doesn't wait for a process that was killed at it", [] {
        constexpr std::int64_t length = 1000000;
        const auto copy = std::make_unique<JointCopy>();
        TRUE(copy->begin());
        // The other one has taken a block: its first word.
        reinterpret_cast<std::atomic<std::uint32_t>*>(copy.get())->fetch_add(1);
        copy->give_up(length, nobody());
        TRUE(!copy->is_done(length) && !copy->conclude(false));
    });

const Register refused("what the system refuses to copy comes by the ring", [] {
    const std::vector<pid_t> wrong(2, nobody()), right(2, getpid());
    for (const bool a_may : {false, true}) {
        for (const bool b_may : {false, true}) {
            Two two(a_may ? right : wrong, b_may ? right : wrong);
            for (const std::size_t length : {std::size_t{131072}, std::size_t{1000003}}) {
                Bytes sent = data(length, 1), back = data(length, 2), short_one = data(10, 3);
                Bytes got(length), got_back(length), got_short(10);
                NodeMessage* const messages[] = {
                    send(*two.a, 1, sent, 0),        send(*two.a, 1, short_one, 0),
                    send(*two.b, 0, back, 0),        receive(*two.b, 0, got, 0),
                    receive(*two.a, 1, got_back, 0), receive(*two.b, 0, got_short, 0)};
                two.go_on();
                for (const int index : {0, 1, 4}) finish(*two.a, messages[index]);
                for (const int index : {2, 3, 5}) finish(*two.b, messages[index]);
                TRUE(got == sent && got_back == back && got_short == short_one);
                TRUE(!two.a->is_busy() && !two.b->is_busy());
            }
        }
    }
});

const Register bounded("what nobody wants yet has a bound, and holds up nothing that is wanted",
                       [] {
                           for (const bool enters : {false, true}) {
                               for (const std::size_t length :
                                    {std::size_t{8}, std::size_t{4096}, std::size_t{50000}}) {
                                   Two two(enters);
                                   Bytes awaited(8), sent_last = data(8, 9);
                                   // Somebody waits long, in another context, and so has to read what comes.
                                   NodeMessage* const waits = receive(*two.b, 0, awaited, 0, 1);
                                   std::vector<Bytes> sent;
                                   std::vector<NodeMessage*> out;
                                   for (int ahead = 0; ahead < 5000; ++ahead)
                                       sent.push_back(data(length, static_cast<unsigned>(ahead)));
                                   std::size_t over = 0;
                                   for (Bytes& one : sent) {
                                       out.push_back(send(*two.a, 1, one, 0));
                                       two.go_on();
                                       over += is_over(out.back());
                                   }
                                   const std::size_t kept =
                                       over * std::max<std::size_t>(length, 256);
                                   TRUE(kept >= NodeChannel::unasked_at_most);
                                   TRUE(kept <= NodeChannel::unasked_at_most + length);

                                   // Behind all of it.
                                   NodeMessage* const last = send(*two.a, 1, sent_last, 0, 1);
                                   two.go_on();
                                   finish(*two.a, last);
                                   finish(*two.b, waits);
                                   TRUE(awaited == sent_last);
                                   for (const Bytes& one : sent) {
                                       Bytes got(length);
                                       NodeMessage* const in = receive(*two.b, 0, got, 0);
                                       two.go_on();
                                       finish(*two.b, in);
                                       TRUE(got == one);
                                   }
                                   for (NodeMessage* const one : out) finish(*two.a, one);
                                   // It has caught up.
                                   TRUE(is_over(send(*two.a, 1, sent_last, 0)));
                                   TRUE(!two.b->is_busy());
                               }
                           }
                       });

}  // namespace
}  // namespace laneway
