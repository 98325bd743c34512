// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/elements.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>

#include "simulate/stub/datatypes.hpp"

namespace laneway::simulate {
namespace {

template <class T>
MPI_Datatype plain()
{
    return stub::handle_of(stub::predefined(sizeof(T)));
}

/// A pair of a number and its place; its padding is no data.
template <class T>
MPI_Datatype pair()
{
    struct Both {
        T number;
        int place;
    };
    stub::Type type = stub::predefined(sizeof(Both));
    type.size = sizeof(T) + sizeof(int);
    return stub::handle_of(type);
}

}  // namespace

MPI_Datatype datatype_named(const std::string& name)
{
    static const std::map<std::string, MPI_Datatype> all{
        {"byte", plain<std::byte>()},
        {"char", plain<char>()},
        {"wchar", plain<wchar_t>()},
        {"signed_char", plain<signed char>()},
        {"unsigned_char", plain<unsigned char>()},
        {"short", plain<short>()},
        {"unsigned_short", plain<unsigned short>()},
        {"int", plain<int>()},
        {"unsigned", plain<unsigned>()},
        {"long", plain<long>()},
        {"unsigned_long", plain<unsigned long>()},
        {"long_long", plain<long long>()},
        {"unsigned_long_long", plain<unsigned long long>()},
        {"int8_t", plain<std::int8_t>()},
        {"int16_t", plain<std::int16_t>()},
        {"int32_t", plain<std::int32_t>()},
        {"int64_t", plain<std::int64_t>()},
        {"uint8_t", plain<std::uint8_t>()},
        {"uint16_t", plain<std::uint16_t>()},
        {"uint32_t", plain<std::uint32_t>()},
        {"uint64_t", plain<std::uint64_t>()},
        {"aint", plain<MPI_Aint>()},
        {"offset", plain<std::int64_t>()},
        {"count", plain<MPI_Count>()},
        {"float", plain<float>()},
        {"double", plain<double>()},
        {"long_double", plain<long double>()},
        {"c_bool", plain<bool>()},
        {"c_float_complex", plain<std::complex<float>>()},
        {"c_double_complex", plain<std::complex<double>>()},
        {"c_long_double_complex", plain<std::complex<long double>>()},
        {"short_int", pair<short>()},
        {"2int", pair<int>()},
        {"long_int", pair<long>()},
        {"float_int", pair<float>()},
        {"double_int", pair<double>()},
        {"long_double_int", pair<long double>()},
    };
    const auto found = all.find(name);
    return found == all.end() ? MPI_DATATYPE_NULL : found->second;
}

}  // namespace laneway::simulate
