// SPDX-License-Identifier: BSD-3-Clause
// Records, and the complaint about a text that uses temporary memory wrongly.
#include <string>
#include <utility>

#include "cases/case.hpp"
#include "data/buffer.hpp"
#include "data/scratch.hpp"
#include "schedule/address.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

Program checked(const Text& text)
{
    const Parts parts(layout_of({2}), 0);
    const Decomposition on(parts);
    const bool before = std::exchange(Recorder::checks, true);
    Recorder recorder(on.world, 1, on.tags());
    text(on);
    Recorder::checks = before;
    return recorder.take();
}

const Register apart("messages of a strand are told from those of its children", [] {
    const Program program = checked([](const Decomposition& on) {
        const Scratch scratch(8, MPI_BYTE);
        Messages first(on.world);
        first.receive(bytes(1), 1, 0);
        first.send(bytes(1), 1, 0);
        Recorder::current()->concurrently(2, 2, [&](int) { receive(on, 8, 1); });
        Messages last(on.world);
        last.receive(scratch.buffer(), 1, 0);
        last.wait();
        first.wait();
    });
    TRUE(program.misuse == nullptr);
});

const Register far("an address as far from its buffer as memory is wide is still of that buffer",
                   [] {
                       constexpr std::int64_t highest = std::int64_t{1}
                                                        << 47;  // the user's half, on 64 bits
                       for (const std::size_t base : {std::size_t{0}, std::size_t{70}})
                           for (const std::int64_t offset : {-highest, highest}) {
                               const void* const there = advanced(symbolic::address(base), offset);
                               EQUAL(symbolic::base_of(there), base);
                               EQUAL(symbolic::offset_of(there), offset);
                           }
                   });

const Register too_early("temporary memory that is given back too early", [] {
    const Program program = checked([](const Decomposition& on) {
        Messages messages(on.world);
        {
            const Scratch scratch(8, MPI_BYTE);
            messages.receive(scratch.buffer(), 1, 0);
        }
        messages.wait();
    });
    TRUE(program.misuse != nullptr);
});

const Register again("a program whose memory is used again is as if it were new", [] {
    const auto text = [](const Decomposition& on) {
        Recorder::current()->concurrently(3, 2, [&](int) { receive(on, 8, 1); });
        send(on, 3, 1);
    };
    const Parts parts(layout_of({2}), 0);
    const Decomposition on(parts);
    Program program = checked([](const Decomposition& of) {
        const Scratch scratch(8, MPI_BYTE);
        receive(of, 8, 1);
    });
    program.clear();
    Recorder recorder(on.world, 2, on.tags(), false, std::move(program));
    text(on);
    program = recorder.take();
    const Program fresh = checked(text);
    EQUAL(program.strands.size(), fresh.strands.size());
    EQUAL(program.strands[0].operations.size(), fresh.strands[0].operations.size());
    EQUAL(program.strands[0].messages, 1U);
    EQUAL(program.types.size(), std::size_t{1});
    EQUAL(program.contexts.size(), std::size_t{1});
    EQUAL(program.scratch.size(), fresh.scratch.size());
    EQUAL(program.buffers, std::size_t{2});
});

}  // namespace
}  // namespace laneway::simulate
