// SPDX-License-Identifier: BSD-3-Clause
#include <initializer_list>
#include <string>

#include "cases/case.hpp"
#include "switch/addresses.hpp"
#include "switch/frame.hpp"
#include "switch/lateness.hpp"

namespace laneway::lanes {
namespace {

using cases::Register;

using Bytes = std::vector<std::byte>;

void put(Bytes& bytes, std::size_t at, std::initializer_list<int> values)
{
    for (const int value : values) bytes[at++] = std::byte(value);
}

/// A frame of TCP over IPv4 with time stamps.
Bytes tcp(std::size_t data, int flags, int source_port = 5)
{
    constexpr std::size_t headers = 14 + 20 + 32;
    Bytes bytes(headers + data);
    const auto length = static_cast<int>(bytes.size() - 14);
    put(bytes, 12, {0x08, 0x00, 0x45});
    put(bytes, 16, {length >> 8, length & 0xFF});
    put(bytes, 23, {6, 0, 0, 10, 1, 0, 1, 10, 1, 0, 2, 0, source_port, 0, 9});
    put(bytes, 46, {0x80, flags});
    return bytes;
}

constexpr int fin = 1, syn = 2, rst = 4, push = 8, ack = 16;

const Register messages("an acknowledgement alone is no message", [] {
    TRUE(!facts_of(tcp(0, ack), 0).message);
    TRUE(facts_of(tcp(1, ack | push), 0).message);
    for (const int flag : {fin, syn, rst}) TRUE(facts_of(tcp(0, ack | flag), 0).message);
    Bytes padded = tcp(0, ack);
    padded.resize(padded.size() + 10);
    TRUE(!facts_of(padded, 0).message);
});

const Register connections("frames of a connection in one direction belong together", [] {
    EQUAL(facts_of(tcp(10, ack), 0).connection, facts_of(tcp(0, syn), 0).connection);
    TRUE(facts_of(tcp(10, ack, 5), 0).connection != facts_of(tcp(10, ack, 6), 0).connection);
    Bytes other = tcp(10, ack);
    put(other, 29, {3});  // In the sender's address.
    TRUE(facts_of(tcp(10, ack), 0).connection != facts_of(other, 0).connection);
});

const Register sizes("a large segment is as many frames as it will be", [] {
    const auto is = [](const Bytes& of, std::size_t segment, std::int64_t all, std::int64_t before,
                       std::int64_t last) {
        const Size size = facts_of(of, segment).size;
        EQUAL(size.before * size.full, before * (66 + std::int64_t(segment)));
        EQUAL(size.before, before);
        EQUAL(size.last, last);
        EQUAL(size.bytes(), all);
    };
    is(tcp(1000, ack), 0, 1066, 0, 1066);
    is(tcp(1000, ack), 1000, 1066, 0, 1066);
    is(tcp(2500, ack), 1000, 2500 + 3 * 66, 2, 566);
    is(tcp(3000, ack), 1000, 3000 + 3 * 66, 2, 1066);
});

const Register strange("frames that are no TCP are messages", [] {
    Bytes arp(60);
    put(arp, 12, {0x08, 0x06});
    TRUE(facts_of(arp, 0).message);
    EQUAL(facts_of(arp, 0).size.last, 60);
    for (std::size_t length = 0; length < 66; ++length) {  // And none is read beyond its end.
        Bytes cut = tcp(0, ack);
        cut.resize(length);
        cut.shrink_to_fit();
        TRUE(facts_of(cut, 0).message == (length < 54));  // Without the flags nobody knows.
    }
});

Bytes to(int first, int lane, int node)
{
    Bytes bytes(60);
    put(bytes, 0, {first, 0x4c, 0x57, lane, node >> 8, node & 0xFF});
    return bytes;
}

const Register targets("a frame goes to the owner of its address", [] {
    const Layout separate{.nodes = 3, .lanes = 2}, joint{.nodes = 3, .lanes = 2, .joint = true};
    using Ports = std::vector<std::size_t>;
    TRUE(separate.targets(0, to(2, 0, 2)) == Ports{4});
    TRUE(separate.targets(0, to(2, 1, 2)).empty());  // Another lane is another network.
    TRUE(joint.targets(0, to(2, 1, 2)) == Ports{5});
    TRUE(separate.targets(0, to(2, 0, 0)).empty());  // Its own.
    TRUE(separate.targets(0, to(2, 0, 3)).empty());
    TRUE(separate.targets(0, to(2, 2, 0)).empty());
    TRUE(separate.targets(0, to(6, 0, 2)).empty());              // Somebody else's address.
    TRUE(separate.targets(1, to(0xFF, 0, 0)) == (Ports{3, 5}));  // For everybody.
    TRUE(joint.targets(1, to(0xFF, 0, 0)) == (Ports{0, 2, 3, 4, 5}));
    TRUE(separate.targets(0, Bytes(3)).empty());
    EQUAL(separate.device(5), std::string("p2-lane1"));
});

const Register routed("the router knows whose an IP address is", [] {
    const Layout separate{.nodes = 3, .lanes = 2}, joint{.nodes = 3, .lanes = 2, .joint = true};
    using Ports = std::vector<std::size_t>;
    const auto for_ip = [](int network, int lane, int node) {
        Bytes frame = tcp(10, ack);
        put(frame, 0, {2, 0x4c, 0x57, 0xFF, 0xFF, 0xFF});
        put(frame, 30, {network, lane + 1, 0, node + 1});
        return frame;
    };
    TRUE(separate.targets(0, for_ip(10, 0, 2)) == Ports{4});
    TRUE(separate.targets(0, for_ip(10, 1, 2)).empty());
    TRUE(joint.targets(0, for_ip(10, 1, 2)) == Ports{5});
    TRUE(joint.targets(0, for_ip(10, 0, 0)).empty());
    TRUE(joint.targets(0, for_ip(10, -1, 2)).empty());  // The launchers' network is no lane.
    TRUE(joint.targets(0, for_ip(10, 2, 0)).empty());
    TRUE(joint.targets(0, for_ip(10, 0, -1)).empty());
    TRUE(joint.targets(0, for_ip(10, 0, 3)).empty());
    TRUE(joint.targets(0, for_ip(11, 0, 2)).empty());
    for (std::size_t length = 6; length < 34; ++length) {  // None is read beyond its end.
        Bytes cut = for_ip(10, 0, 2);
        cut.resize(length);
        cut.shrink_to_fit();
        TRUE(joint.targets(0, cut).empty());
    }
    Bytes frame = for_ip(10, 1, 2);
    joint.direct(frame, 5);
    TRUE(joint.targets(0, Bytes(frame.begin(), frame.begin() + 6)) == Ports{5});
    Bytes everybodys = to(0xFF, 0xFF, 0xFFFF);
    joint.direct(everybodys, 5);
    TRUE(everybodys == to(0xFF, 0xFF, 0xFFFF));
});

const Register classes("how late is told to an eighth", [] {
    for (const Time late : {0, 1, 7, 8, 100, 1023, 1024, 123456, 1000000000}) {
        Lateness of;
        of.add(late);
        const auto bound = static_cast<Time>(of.classes().at(0).first);
        TRUE(bound >= late && bound <= late + late / 8);
        EQUAL(of.worst(), static_cast<std::uint64_t>(late));
    }
    Lateness of;
    of.add(-5);  // Never early: the clock of the frame was ahead.
    of.add(5);
    EQUAL(of.frames(), std::uint64_t{2});
    EQUAL(of.sum(), std::uint64_t{5});
    TRUE(of.classes() == (std::vector<Lateness::Class>{{0, 1}, {5, 1}}));
});

}  // namespace
}  // namespace laneway::lanes
