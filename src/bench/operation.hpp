// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/types.hpp"

namespace laneway::bench {

/// What is asked of a collective, the same on all ranks but for `rank`.
struct Problem {
    MPI_Comm comm;
    int rank;
    int size;
    int count;  ///< As in the MPI call.
    const Datatype& type;
    const Op& op;
};

/// The memory of one rank.
struct Memory {
    std::vector<std::byte> input;
    std::vector<std::byte> output;  ///< What is compared with the native result.
};

/// A collective as the benchmark knows it. Adding one is adding a file with one object of this kind
/// and a Registration.
struct Operation {
    const char* collective;
    bool reduces;  ///< Takes an operator.
    bool rooted;

    /// Elements of the caller's memory.
    std::size_t (*input)(const Problem&);
    std::size_t (*output)(const Problem&);

    /// Puts the caller's contribution where `call` reads it; `output` holds no trace of a result.
    void (*fill)(const Problem&, int root, Memory&);

    /// The collective by the algorithm of that name; its MPI error code.
    int (*call)(const Problem&, const char* algorithm, int root, Memory&);
};

/// All of them, by name.
const std::vector<Operation>& operations();

/// nullptr where there is none of that name.
const Operation* operation(const std::string& collective);

struct Registration {
    explicit Registration(const Operation& operation);
};

/// Fills the first `count` elements with values that depend on rank and index, small enough for
/// every reduction over them to be exact in any order.
void write_contribution(const Problem&, std::vector<std::byte>& elements);

}  // namespace laneway::bench
