// SPDX-License-Identifier: BSD-3-Clause
#include "library/quirks.hpp"

#include <mpi.h>

#include "library/identity.hpp"

namespace laneway {
namespace {

#ifdef OPEN_MPI
constexpr bool others_are_of_mpich = false;
#else
/// Intel's MPI library, MVAPICH and Cray's have MPICH's binary interface, or the standard one, and its code.
constexpr bool others_are_of_mpich = true;
#endif

/// The quirks of Open MPI 4.1 and 5.0.
constexpr Quirks of_open_mpi{
    .most_communicators = 4096,  // the library has 65531 (4.1)
    .reports_any_one_buffer = false,
    .judges_null_in_messages = false,
    .overruns_temporaries = false,
    .loses_result_at_bottom = true,
    .mistakes_in_place = false,
    .truncates_padded_pairs = false,
    .breaks_segments_of_han = false,
    .ends_at_errors_that_return = false,
    .frees_what_fails = true,
    .tests_before_looking = true,
    .cuts_what_it_packs = false,
    .slow_in_pairs = false,
    .locks_in_handlers = false,
    .sessions_have_own_threads = true,
    .keeps_what_is_freed = false,
    .makes_one_communicator_at_a_time = true,
};

/// The quirks of Open MPI 4.1.0 to 4.1.5.
constexpr Quirks of_open_mpi_4_1_5 = [] {
    Quirks its = of_open_mpi;
    its.breaks_segments_of_han = true;
    return its;
}();

/// The quirks of MPICH 4.0 and 5.0.
constexpr Quirks of_mpich{
    .most_communicators = 256,  // the library has 2045 (4.0)
    .reports_any_one_buffer = true,
    .judges_null_in_messages = true,
    .overruns_temporaries = true,
    .loses_result_at_bottom = false,
    .mistakes_in_place = true,
    .truncates_padded_pairs = true,
    .breaks_segments_of_han = false,
    .ends_at_errors_that_return = false,
    .frees_what_fails = false,
    .tests_before_looking = false,
    .cuts_what_it_packs = true,
    .slow_in_pairs = true,
    .locks_in_handlers = true,
    .sessions_have_own_threads = false,
    .keeps_what_is_freed = true,
    .makes_one_communicator_at_a_time = false,
};

/// 2021.19, in its library of the standard ABI.
constexpr Quirks of_intel_mpi = [] {
    Quirks its = of_mpich;
    its.ends_at_errors_that_return = true;
    return its;
}();

}  // namespace

const Quirks& quirks_of(std::string_view library, bool others_are_of_mpich)
{
    constexpr std::string_view early = "Open MPI 4.1.";
    if (library.starts_with(early)) {
        const std::string_view release = library.substr(early.size());  // 4, 4rc1, 10
        const bool is_one_digit =
            release.find_first_not_of("0123456789") == 1 || release.size() == 1;
        return is_one_digit && release.front() < '6' ? of_open_mpi_4_1_5 : of_open_mpi;
    }
    if (library.starts_with("Open MPI")) return of_open_mpi;
    if (library.starts_with("MPICH")) return of_mpich;
    if (library.starts_with("Intel MPI")) return of_intel_mpi;
    return others_are_of_mpich ? of_mpich : of_open_mpi;
}

const Quirks& quirks()
{
    static const Quirks its = [] {
        Quirks found = quirks_of(library_name(), others_are_of_mpich);
        found.sessions_have_own_threads = found.sessions_have_own_threads && has_sessions();
        return found;
    }();
    return its;
}

}  // namespace laneway
