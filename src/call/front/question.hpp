// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "library/operators.hpp"

namespace laneway {

/// All that the library's answer to a call without data (`Front::without_data`) depends on.
struct Question {
    MPI_Datatype one = MPI_DATATYPE_NULL, other = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    unsigned form = 0;  ///< in place, without elements, at the root: as each front tells them apart
    bool lasts = true;  ///< it depends on nothing else: else it is asked each time

    bool operator==(const Question&) const = default;
};

/// Whether the library answers the same when asked again: the question is about predefined handles, which nobody can
/// free or change. (The usual ones: others are asked about in each call. The library must not be asked whether a handle
/// is predefined: without elements it takes one that is none.)
inline bool lasts(const Question& question)
{
    const auto types = {MPI_DATATYPE_NULL,
                        MPI_BYTE,
                        MPI_PACKED,
                        MPI_CHAR,
                        MPI_INT,
                        MPI_UNSIGNED,
                        MPI_LONG,
                        MPI_UNSIGNED_LONG,
                        MPI_FLOAT,
                        MPI_DOUBLE,
                        MPI_INT8_T,
                        MPI_UINT8_T,
                        MPI_INT32_T,
                        MPI_UINT32_T,
                        MPI_INT64_T,
                        MPI_UINT64_T,
                        MPI_LONG_LONG,
                        MPI_SHORT,
                        MPI_UNSIGNED_SHORT,
                        MPI_SIGNED_CHAR,
                        MPI_UNSIGNED_CHAR,
                        MPI_INT16_T,
                        MPI_UINT16_T,
                        MPI_UNSIGNED_LONG_LONG,
                        MPI_LONG_DOUBLE,
                        MPI_C_FLOAT_COMPLEX,
                        MPI_AINT,
                        MPI_COUNT,
                        MPI_OFFSET,
                        MPI_CHARACTER,
                        MPI_LOGICAL,
                        MPI_COMPLEX,
                        MPI_DOUBLE_COMPLEX,
                        MPI_C_BOOL,
                        MPI_C_DOUBLE_COMPLEX,
                        MPI_2INT,
                        MPI_DOUBLE_INT,
                        MPI_FLOAT_INT,
                        MPI_INTEGER,
                        MPI_REAL,
                        MPI_DOUBLE_PRECISION};
    const auto among = [](const auto& known, auto handle) {
        return std::ranges::find(known, handle) != known.end();
    };
    return question.lasts && among(types, question.one) && among(types, question.other) &&
           (question.op == MPI_OP_NULL || is_predefined(question.op));
}

/// Questions about one collective that the library has said yes to, the first few dozens of a process. A call with one
/// neither asks again nor locks.
template <class Front>
class Accepted {
public:
    static bool knows(const Question& question)
    {
        for (std::size_t i = 0; i < tries; ++i) {
            const Slot& own = slot(question, i);
            if (own.state.load(std::memory_order_acquire) == State::known &&
                own.question == question)
                return true;
        }
        return false;
    }

    static void add(const Question& question)
    {
        if (!lasts(question)) return;
        for (std::size_t i = 0; i < tries; ++i) {
            Slot& own = slot(question, i);
            State free = State::free;
            if (!own.state.compare_exchange_strong(free, State::written)) continue;
            own.question = question;
            own.state.store(State::known, std::memory_order_release);
            return;
        }
    }

private:
    enum class State : std::uint8_t { free, written, known };
    struct Slot {
        Question question;
        std::atomic<State> state = State::free;
    };
    static constexpr std::size_t slots = 128, tries = 8;

    static Slot& slot(const Question& question, std::size_t number_of_try)
    {
        static std::array<Slot, slots> all;
        // Handles are addresses, or numbers that differ in their lowest bytes.
        const auto mixed = [](auto handle) {
            constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
            return ((std::uint64_t)handle * golden) >> 40;  // NOLINT: whichever of both it is
        };
        return all[(mixed(question.one) + 3 * mixed(question.op) + question.form + number_of_try) %
                   slots];
    }
};

}  // namespace laneway
