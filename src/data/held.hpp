// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <utility>

namespace laneway {

/// The kinds of handles that operations hold; in some libraries all handles are of one type.
struct Operator {
    using Handle = MPI_Op;
};
struct Type {
    using Handle = MPI_Datatype;
};

/// A handle of the user's that an operation under way uses. The user may free it meanwhile: that is done
/// when the last operation ends. (A copy would not do: operators are given the caller's own handle of a
/// type, and MPI cannot copy operators.)
template <class Kind>
class Held {
public:
    using Handle = Kind::Handle;

    explicit Held(Handle handle);
    Held(Held&& other) noexcept : handle_(other.handle_), holds_(std::exchange(other.holds_, false))
    {
    }
    Held& operator=(Held&&) = delete;
    ~Held();

    /// MPI_Op_free or MPI_Type_free of the user's. Returns an MPI error code.
    static int free(Handle* handle);

private:
    Handle handle_;
    bool holds_;
};

extern template class Held<Operator>;
extern template class Held<Type>;

}  // namespace laneway
