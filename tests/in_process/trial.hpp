// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "carriers/in_process.hpp"
#include "elements.hpp"
#include "machine.hpp"

/// Property tests without mpirun: all ranks in this process, their programs carried out with real data in an
/// order that a seed decides (carriers/in_process.hpp).
namespace laneway::in_process {

/// One case: a call of an algorithm on a machine.
struct Case {
    std::string_view collective, algorithm;
    const Machine* machine;
    const Elements* kind;
    std::int64_t count;
    int root;
    bool in_place;
    /// Components send few bytes instead of needing few rounds.
    bool saves_bytes;
    std::uint64_t seed;
    std::vector<std::pair<std::string_view, std::int64_t>> tunables = {};
    /// The layout of a vector collective's blocks, one of five, of which `count` is the mean, or about that.
    int layout = 0;
    static constexpr int layouts = 5;

    std::string id() const;
};

/// The algorithm may be called so.
bool is_eligible(const Case& now);

struct Outcome {
    std::string fault;  ///< empty: nothing is wrong
    std::int64_t messages = 0;
    bool divides = false;       ///< some operator is called with a part of the message
    bool is_too_large = false;  ///< it has more messages than asked for, and was left out
};

/// Memory of rows, for one case after the other.
class Rows {
public:
    /// `bytes` bytes that stay where they are until `clear`.
    std::byte* take(std::size_t bytes);
    void clear() { chunk_ = used_ = 0; }

private:
    struct Chunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes;
    };
    std::vector<Chunk> chunks_;
    std::size_t chunk_ = 0, used_ = 0;
};

/// The means to carry cases out, one after the other, in the same memory.
struct Stage {
    InProcess carrier;
    std::vector<Program> programs;  ///< by rank
    Rows rows;
    std::vector<Value> values, sums, next;
    std::vector<std::byte> image;
};

/// Carries out an eligible case of at most so many messages.
Outcome outcome_of(const Case& now, Stage& stage, std::int64_t most_messages);

/// The algorithm asks for an operator that may be called with parts of the message.
bool may_divide(std::string_view collective, std::string_view algorithm);

/// A collective and an algorithm of it.
using Names = std::pair<std::string_view, std::string_view>;
std::vector<Names> algorithms();
/// An algorithm that serves in the reproducible mode.
struct Reproducible {
    std::string_view collective, algorithm;
    std::vector<std::pair<std::string_view, std::int64_t>> tunables;
};
std::vector<Reproducible> reproducible();
bool has_root(std::string_view collective);
bool reduces_elements(std::string_view collective);
/// There is a block a rank.
bool has_blocks(std::string_view collective);
/// Blocks have lengths of their own.
bool has_lengths(std::string_view collective);
/// There is no buffer, or only one.
bool is_never_in_place(std::string_view collective);

}  // namespace laneway::in_process
