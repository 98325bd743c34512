// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "flight/file.hpp"

namespace laneway::flight {

/// A type, as a record describes it.
struct TypeFacts {
    std::int64_t size;        ///< negative: not known
    std::uint16_t signature;  ///< see Record
};

/// Types and operators as the words of the file.
class Signatures {
public:
    explicit Signatures(File& file) : file_(file) {}

    TypeFacts of(MPI_Datatype type);
    std::uint16_t of_op(MPI_Op op);

    /// To be called when the program frees a type: its handle is soon another's.
    void forget() { changes_.fetch_add(1, std::memory_order_acq_rel); }
    unsigned changes() const { return changes_.load(std::memory_order_acquire); }

private:
    std::uint16_t word(const std::string& name);
    std::uint16_t signature_of(MPI_Datatype type, int depth);

    File& file_;
    std::atomic<unsigned> changes_ = 0;
    std::mutex mutex_;
    std::uint32_t words_ = 0;
};

}  // namespace laneway::flight
