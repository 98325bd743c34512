// SPDX-License-Identifier: BSD-3-Clause
// The ring between two processes: its reader says by and by how far it is, and has said all before it waits.
#include "node/ring.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "cases/case.hpp"

namespace laneway {
namespace {

using cases::Register;

constexpr std::size_t room = 4096;

/// Both ends of a ring in memory of its own.
struct Ends {
    struct Free {
        void operator()(std::byte* bytes) const
        {
            ::operator delete(bytes, std::align_val_t{Ring::line});
        }
    };

    Ends()
    {
        std::memset(memory.get(), 0, Ring::bytes(room));
        writer = Ring::Writer(memory.get(), room);
        reader = Ring::Reader(memory.get());
    }

    bool put(std::uint64_t number, std::uint32_t bytes = 0)
    {
        const std::vector<unsigned char> data(bytes, static_cast<unsigned char>(number));
        return writer.put({0, 0, Ring::Kind::first, bytes, number, 0}, data.data());
    }
    /// The next record is that one, with the bytes that it left with.
    void take(std::uint64_t number)
    {
        const Ring::Head* const head = reader.front();
        TRUE(head);
        if (!head) return;
        EQUAL(head->number, number);
        for (std::uint32_t at = 0; at < head->bytes; ++at)
            TRUE(reader.bytes()[at] == static_cast<std::byte>(number));
        reader.pop();
    }

    std::unique_ptr<std::byte, Free> memory{
        static_cast<std::byte*>(::operator new(Ring::bytes(room), std::align_val_t{Ring::line}))};
    Ring::Writer writer;
    Ring::Reader reader;
};

/// As many as there is room for, from `number` on; which one comes next.
std::uint64_t fill(Ends& ends, std::uint64_t number, std::uint32_t bytes = 0)
{
    while (ends.put(number, bytes)) ++number;
    return number;
}

const Register by_slots("a reader tells a quarter of the slots at once, not each", [] {
    Ends ends;
    std::uint64_t next = fill(ends, 0);
    EQUAL(next, Ring::slots);
    for (std::uint64_t taken = 0; taken < 4 * Ring::slots;) {
        while (taken % (Ring::slots / 4) < Ring::slots / 4 - 1) ends.take(taken++);
        TRUE(!ends.put(next));
        ends.take(taken++);
        next = fill(ends, next);
        EQUAL(next, taken + Ring::slots);
    }
});

const Register by_bytes("and what is beside the slots before that is full", [] {
    Ends ends;
    constexpr std::uint32_t bytes = room / 4;
    std::uint64_t next = fill(ends, 0, bytes);
    EQUAL(next, 4U);
    ends.take(0);
    TRUE(ends.put(next++, bytes));
    for (std::uint64_t taken = 1; taken < next; ++taken) ends.take(taken);
});

const Register before_it_waits("a reader that finds nothing has told all", [] {
    for (const std::uint32_t bytes : {0U, 24U, 25U, 100U}) {
        Ends ends;
        std::uint64_t taken = 0;
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t next = fill(ends, taken, bytes);
            const std::uint64_t at_once = next - taken;
            for (; taken < next; ++taken) ends.take(taken);
            TRUE(!ends.reader.front());
            // There is room for as many again, or one less where the end of the bytes is too short for one.
            std::uint64_t again = taken;
            while (again < taken + at_once - 1 && ends.put(again, bytes)) ++again;
            EQUAL(again, taken + at_once - 1);
            for (; taken < again; ++taken) ends.take(taken);
            TRUE(!ends.reader.front());
        }
    }
});

const Register wanted("the writer learns what was wanted with the rest", [] {
    Ends ends;
    for (std::uint64_t number = 0; number < 3; ++number) TRUE(ends.put(number));
    for (std::uint64_t number = 0; number < 3; ++number) {
        ends.reader.want(100);
        ends.take(number);
    }
    EQUAL(ends.writer.wanted(), 0U);
    TRUE(!ends.reader.front());
    EQUAL(ends.writer.wanted(), 300U);
});

const Register in_any_turns("nothing is overwritten that has not been read, in whatever turns", [] {
    std::mt19937 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        Ends ends;
        std::uint64_t next = 0, taken = 0;
        for (int step = 0; step < 2000; ++step) {
            if (random() % 2 == 0) {
                const std::uint32_t most = random() % 4 == 0 ? room / 4 : 64;
                if (ends.put(next, static_cast<std::uint32_t>(random() % (most + 1)))) ++next;
            } else if (taken < next) {
                ends.take(taken++);
            } else {
                TRUE(!ends.reader.front());
            }
        }
        while (taken < next) ends.take(taken++);
        TRUE(!ends.reader.front());
    }
});

}  // namespace
}  // namespace laneway
