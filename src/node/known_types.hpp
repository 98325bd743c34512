// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/datatype.hpp"

namespace laneway {

/// A datatype as far as the bytes of a message go.
struct KnownType {
    MPI_Datatype type;
    std::int64_t size;
    bool is_gap_free;
};

/// The datatypes that were used last. To ask MPI about one takes as long as a short message.
class KnownTypes {
public:
    /// MPI's own types stay what they are; a handle of the user's may be another type's next time.
    const KnownType& of(MPI_Datatype type)
    {
        for (const KnownType& one : named_)
            if (one.size > 0 && one.type == type) return one;
        const KnownType found{type, size_of(type), is_gap_free(type)};
        KnownType& place = is_named(type) ? named_[next_++ % named_.size()] : derived_;
        return place = found;
    }

private:
    std::array<KnownType, 4> named_{};
    std::size_t next_ = 0;
    KnownType derived_{};
};

}  // namespace laneway
