// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <laneway.h>
#include <mpi.h>

#include <memory>
#include <tuple>

#include "layout/layout.hpp"

namespace laneway::property {

/// In which of MPI's forms cases call a collective.
enum class CallForm : unsigned char { blocking, nonblocking, persistent };

struct Calling {
    CallForm form = CallForm::blocking;
    /// A second call has the same data as the first.
    bool may_repeat = true;
    /// Weights of lanes are to change while a call is under way.
    bool weighs = false;
    /// The layout that the latest call has begun with, where weights may have changed since.
    std::shared_ptr<const Layout> began_on;
};
Calling& calling();

/// Keeps the layout that the next call on `comm` begins with: at the end of a call, weights may change, too. (They do not
/// at the end of a communicator's first call: that takes two measurements.)
void keep_layout(MPI_Comm comm);

/// Makes calls on `comm` after which weights of lanes may change. The name of what served its latest call stays.
void make_weighed_calls(MPI_Comm comm);

/// Calls a collective, given by its forms, as calling() says, and completes it. Persistent ones are started
/// twice where the data allow. Returns the MPI error code.
template <class Blocking, class Nonblocking, class Persistent, class... Argument>
int call(Blocking blocking, Nonblocking nonblocking, Persistent persistent, Argument... argument)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int code = MPI_SUCCESS;
    calling().began_on.reset();
    const MPI_Comm comm = std::get<sizeof...(argument) - 1>(std::tie(argument...));
    const auto meanwhile = [&] {
        if (calling().weighs) make_weighed_calls(comm);
    };
    switch (calling().form) {
    case CallForm::blocking:
        if (calling().weighs) keep_layout(comm);
        return blocking(argument...);
    case CallForm::nonblocking:
        code = nonblocking(argument..., &request);
        meanwhile();
        return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
    case CallForm::persistent:
        code = persistent(argument..., MPI_INFO_NULL, &request);
        for (int starts = calling().may_repeat ? 2 : 1; starts > 0 && code == MPI_SUCCESS;
             --starts) {
            code = MPI_Start(&request);
            meanwhile();
            if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        return code == MPI_SUCCESS ? MPI_Request_free(&request) : code;
    }
    return MPI_ERR_INTERN;
}

#define LANEWAY_CALL(collective, ...)                               \
    call(laneway_##collective##_with, laneway_i##collective##_with, \
         laneway_##collective##_init_with, __VA_ARGS__)

/// Such a call with large counts.
#define LANEWAY_LARGE_CALL(collective, ...)                             \
    call(laneway_##collective##_with_c, laneway_i##collective##_with_c, \
         laneway_##collective##_init_with_c, __VA_ARGS__)

}  // namespace laneway::property
