// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace laneway {

/// How MPI libraries differ, where Laneway has to know it: limits, defects to be gone round, and freedoms that MPI
/// leaves them. All such knowledge stands here; elsewhere nothing asks which library it is.
struct Quirks {
    /// Private communicators that a process may hold: a part of what its library has.
    int most_communicators;

    // ---- arguments -----------------------------------------------------------------------------
    /// The library reports one buffer for two arguments in each collective; else in allreduce and reduce alone.
    bool reports_any_one_buffer;
    /// An address that is null is judged alike in messages and in collectives.
    bool judges_null_in_messages;

    // ---- defects of its collectives ------------------------------------------------------------
    /// Reduce-scatter makes its temporaries too small for operators that don't commute on types with an extent beyond
    /// their data.
    bool overruns_temporaries;
    /// Reduce takes a result at MPI_BOTTOM for none at all, and reduces to nowhere.
    bool loses_result_at_bottom;
    /// Reduce takes the MPI_IN_PLACE of a root other than rank 0 for an address.
    bool mistakes_in_place;
    /// Messages of pairs with padding (MPI_DOUBLE_INT) that are forwarded along a tree, as in gather and scatter, are
    /// truncated; their vector forms send directly.
    bool truncates_padded_pairs;

    /// The component han ends the job in an allreduce of several segments on several nodes.
    bool breaks_segments_of_han;

    /// An error ends the job where MPI_ERRORS_RETURN is set; where the error handler is a function, it does not.
    bool ends_at_errors_that_return;

    /// A request that fails is gone with the call that completes it, be it persistent; its handle may be another's then.
    bool frees_what_fails;

    /// A test of several requests looks for messages last, and does not find what comes in that look. With a request
    /// among them that is over, it does not look at all.
    bool tests_before_looking;

    // ---- defects of packing --------------------------------------------------------------------
    /// MPI_Pack cuts data in a process that has more than 512 derived types. It takes a byte of a later type's handle
    /// for the size of elements, and leaves out the end of data in one piece. Messages are whole.
    bool cuts_what_it_packs;

    // ---- times ---------------------------------------------------------------------------------
    /// A short collective of two processes takes longer than the messages of a node's channel.
    bool slow_in_pairs;

    // ---- handlers and threads ------------------------------------------------------------------
    /// Error handlers are called with the library's lock held: MPI called there would end the job.
    bool locks_in_handlers;
    /// A session may have more threads than the world.
    bool sessions_have_own_threads;

    // ---- communicators -------------------------------------------------------------------------
    /// A communicator that is freed lives on, with its attributes, while anything is under way on it.
    bool keeps_what_is_freed;
    /// Processes that make several communicators at once, some of them without waiting, may wait for each other for
    /// ever: a split beside an MPI_Comm_idup.
    bool makes_one_communicator_at_a_time;
};

/// The quirks of a library by its name (library/identity.hpp). An unknown library is taken for a descendant of MPICH, or of
/// Open MPI.
const Quirks& quirks_of(std::string_view library, bool others_are_of_mpich);

/// The quirks of the library in use. May be called before MPI_Init.
const Quirks& quirks();

}  // namespace laneway
