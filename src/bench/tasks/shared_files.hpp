// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <string>

#include "blocks/layouts.hpp"

/// Files that options name: rank 0 reads them for all. A fault in one throws Misunderstood, alike on all ranks.
namespace laneway::bench {

/// The text of a file that an option names, on all ranks. Collective.
std::string shared_text(const std::string& option, const std::string& path, MPI_Comm comm);

/// The text that somebody adds to a file behind its first `known` bytes, once an empty line ends it. Rank 0 looks, and
/// all others sleep. The file is opened for each look: then the nodes of a network file system see what is new.
/// Collective.
std::string added_text(const std::string& path, std::size_t known, MPI_Comm comm);

/// Reads the file of counts that a layout names, if it names one. Collective.
void read_counts(BlockLayout& layout, MPI_Comm comm);

/// Throws unless that file makes sense, without MPI and whatever the number of ranks is.
void check_counts(const BlockLayout& layout);

}  // namespace laneway::bench
