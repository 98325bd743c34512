// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>

namespace laneway {

/// The length of a message that leaves, or of one that may be shorter: lengths are not compared.
constexpr std::int64_t any_length = -1;

/// Whether the messages' statuses have the errors, not the call that completed them, which returned `code`.
bool is_in_status(int code);

/// The error of a message that is over, whose receiver knows its length in bytes. Processes of a collective that give
/// different lengths are told so, also where too little has come. `failed`: a status of the messages has an error.
int outcome_of(const MPI_Status& status, bool failed, std::int64_t length);

/// Gives up a message that an error has left under way: it must not reach memory that is freed.
void give_up(MPI_Request& request);

}  // namespace laneway
