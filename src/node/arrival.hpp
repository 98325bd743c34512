// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace laneway {

/// The length of a message that leaves, or of one that may be shorter: it is not looked at.
constexpr std::int64_t any_length = -1;

/// The messages' statuses have the errors, not the call that completed them, which returned `code`.
bool is_in_status(int code);

/// The error of a message that is over, whose receiver knows its length in bytes: the processes of a collective that give
/// different lengths are told so, also where too little has come. `failed`: its status has an error.
int outcome_of(const MPI_Status& status, bool failed, std::int64_t length);

/// A message that an error has left under way: it must not reach memory that is freed.
void give_up(MPI_Request& request);

}  // namespace laneway
