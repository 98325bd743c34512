// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// The file of what the user's own jobs have learnt (LANEWAY_LEARN): rules that nobody has measured or written on
/// purpose.
namespace laneway {

/// The file for the MPI library in use and the nodes as they are, virtual, emulated or real:
/// `~/.config/laneway/learned/open-mpi-4.1.4.conf`. Empty: nothing is kept, as LANEWAY_DEFAULT=off or
/// LANEWAY_PROFILE_DIR wants it, or there is no home.
std::string learned_file();

/// That file in a list; an empty one where it is not there.
std::vector<std::string> learned_profiles();

/// The header of such a file.
std::string learned_header();

}  // namespace laneway
