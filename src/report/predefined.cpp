// SPDX-License-Identifier: BSD-3-Clause
#include "report/predefined.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace laneway {

std::string type_name(MPI_Datatype type)
{
    if (type == MPI_DATATYPE_NULL) return "";
    int integers = 0, addresses = 0, types = 0, combiner = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED) return "";
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    PMPI_Type_get_name(type, name.data(), &length);
    return name.data();
}

std::string op_name(MPI_Op op)
{
    // Not static: the handles of some libraries are no constants.
    const std::pair<MPI_Op, const char*> known[] = {
        {MPI_SUM, "MPI_SUM"},   {MPI_PROD, "MPI_PROD"},     {MPI_MAX, "MPI_MAX"},
        {MPI_MIN, "MPI_MIN"},   {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
        {MPI_LXOR, "MPI_LXOR"}, {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
        {MPI_BXOR, "MPI_BXOR"}, {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
    };
    const auto* const found = std::ranges::find(known, op, &std::pair<MPI_Op, const char*>::first);
    return found == std::end(known) ? "" : found->second;
}

}  // namespace laneway
