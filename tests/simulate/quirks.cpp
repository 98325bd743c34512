// SPDX-License-Identifier: BSD-3-Clause
// The facts that are known of an MPI library by its name.
#include "library/quirks.hpp"

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

bool is_like_mpich(std::string_view name, bool others_are_of_mpich)
{
    return quirks_of(name, others_are_of_mpich).locks_in_handlers;
}

const Register library_quirks(
    "a library's name says which quirks it has; others have those of its build's interface", [] {
        for (const bool of_mpich : {false, true}) {
            TRUE(is_like_mpich("MPICH 4.0.2", of_mpich));
            TRUE(!is_like_mpich("Open MPI 4.1.4", of_mpich));
            TRUE(is_like_mpich("Intel MPI 2021.9.0", of_mpich));
            EQUAL(is_like_mpich("Another MPI 1.0", of_mpich), of_mpich);
        }
        TRUE(quirks_of("Intel MPI 2021.19.0", true).ends_at_errors_that_return);
        TRUE(!quirks_of("MPICH 5.0.2", true).ends_at_errors_that_return);
        TRUE(quirks_of("Open MPI 4.1.4", false).loses_result_at_bottom);
        TRUE(quirks_of("Open MPI 4.1.4", false).most_communicators >
             quirks_of("MPICH 4.0.2", true).most_communicators);
    });

const Register releases("a quirk that was mended belongs to the releases before", [] {
    for (const char* before : {"Open MPI 4.1.0", "Open MPI 4.1.4", "Open MPI 4.1.5rc1"})
        TRUE(quirks_of(before, false).breaks_segments_of_han);
    for (const char* later : {"Open MPI 4.1.6", "Open MPI 4.1.10", "Open MPI 5.0.1", "MPICH 4.0.2"})
        TRUE(!quirks_of(later, false).breaks_segments_of_han);
});

}  // namespace
}  // namespace laneway::simulate
