// SPDX-License-Identifier: BSD-3-Clause
// Calls as they are recorded: which of their buffers lie in one.
#include "decomposition/recorded.hpp"

#include <array>
#include <cstdint>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

constexpr std::int64_t length = 4, blocks = 3;

Buffer ints(void* data, std::int64_t count) { return {data, count, MPI_INT, sizeof(int)}; }

const Register own_block("a block that stands in a row lies there when it is recorded", [] {
    std::array<int, length * blocks> row{};
    const Symbolic<Gather> symbolic(
        Gather{ints(&row[length], length), ints(row.data(), length * blocks), 0});
    EQUAL(symbolic.bases.size(), 1U);
    TRUE(symbolic.call.mine.data == symbolic.call.whole.slice(length, length).data);
});

const Register no_row("a row without data has no block, wherever that lies", [] {
    // In programs that are not relocated, addresses are no larger than messages.
    int mine[length] = {};
    const auto below = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&mine[0]));
    const Symbolic<Gather> symbolic(Gather{ints(mine, length), ints(nullptr, below), 0});
    EQUAL(symbolic.bases.size(), 2U);
    TRUE(symbolic.bases[1] == mine);
    TRUE(symbolic.call.mine.data == symbolic::address(1));
});

const Register at_bottom("what is in place at MPI_BOTTOM is recorded in place", [] {
    const Symbolic<Allreduce> symbolic(
        Allreduce{ints(MPI_BOTTOM, length), ints(MPI_BOTTOM, length), MPI_SUM});
    EQUAL(symbolic.bases.size(), 1U);
    TRUE(symbolic.call.input.data == symbolic.call.result.data);
});

}  // namespace
}  // namespace laneway::simulate
