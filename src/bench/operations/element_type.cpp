// SPDX-License-Identifier: BSD-3-Clause
#include "bench/operations/element_type.hpp"

#include <complex>

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

/// An element of a scalar type; numbers that don't fit wrap, as they do in the libraries' sums.
template <class T>
struct Scalar {
    static T of(Value value) { return static_cast<T>(value.number); }
    static bool is(const T& element, Value value) { return element == of(value); }
};

template <class T>
struct Scalar<std::complex<T>> {
    static std::complex<T> of(Value value) { return {static_cast<T>(value.number), T{0}}; }
    static bool is(const std::complex<T>& element, Value value) { return element == of(value); }
};

/// The pair types of C (MPI 4.1, Section 6.9.4): the number that is compared, and its place.
template <class T>
struct Pair {
    T number;
    int place;
};

template <class T>
struct Scalar<Pair<T>> {
    static Pair<T> of(Value value) { return {static_cast<T>(value.number), value.place}; }
    static bool is(const Pair<T>& element, Value value)
    {
        return element.number == static_cast<T>(value.number) && element.place == value.place;
    }
};

template <class T>
ElementType entry(const char* name, MPI_Datatype handle, ElementType::Kind kind,
                  std::size_t size = sizeof(T))
{
    return {name,
            handle,
            size,
            sizeof(T),
            kind,
            [](void* data, std::size_t index, Value value) {
                static_cast<T*>(data)[index] = Scalar<T>::of(value);
            },
            [](const void* data, std::size_t index, Value value) {
                return Scalar<T>::is(static_cast<const T*>(data)[index], value);
            }};
}

template <class T>
ElementType pair_of(const char* name, MPI_Datatype handle)
{
    return entry<Pair<T>>(name, handle, ElementType::Kind::pair, sizeof(T) + sizeof(int));
}

// Functions, not objects: the handles of some libraries are no constants.
const std::vector<ElementType>& element_types()
{
    using enum ElementType::Kind;
    using Complex = std::complex<float>;
    using DoubleComplex = std::complex<double>;
    using LongDoubleComplex = std::complex<long double>;
    static const std::vector<ElementType> table = {
        entry<unsigned char>("byte", MPI_BYTE, byte),
        entry<char>("char", MPI_CHAR, plain),
        entry<wchar_t>("wchar", MPI_WCHAR, plain),
        entry<signed char>("signed_char", MPI_SIGNED_CHAR, integer),
        entry<unsigned char>("unsigned_char", MPI_UNSIGNED_CHAR, integer),
        entry<short>("short", MPI_SHORT, integer),
        entry<unsigned short>("unsigned_short", MPI_UNSIGNED_SHORT, integer),
        entry<int>("int", MPI_INT, integer),
        entry<unsigned>("unsigned", MPI_UNSIGNED, integer),
        entry<long>("long", MPI_LONG, integer),
        entry<unsigned long>("unsigned_long", MPI_UNSIGNED_LONG, integer),
        entry<long long>("long_long", MPI_LONG_LONG, integer),
        entry<unsigned long long>("unsigned_long_long", MPI_UNSIGNED_LONG_LONG, integer),
        entry<std::int8_t>("int8_t", MPI_INT8_T, integer),
        entry<std::int16_t>("int16_t", MPI_INT16_T, integer),
        entry<std::int32_t>("int32_t", MPI_INT32_T, integer),
        entry<std::int64_t>("int64_t", MPI_INT64_T, integer),
        entry<std::uint8_t>("uint8_t", MPI_UINT8_T, integer),
        entry<std::uint16_t>("uint16_t", MPI_UINT16_T, integer),
        entry<std::uint32_t>("uint32_t", MPI_UINT32_T, integer),
        entry<std::uint64_t>("uint64_t", MPI_UINT64_T, integer),
        entry<MPI_Aint>("aint", MPI_AINT, address),
        entry<MPI_Offset>("offset", MPI_OFFSET, address),
        entry<MPI_Count>("count", MPI_COUNT, address),
        entry<float>("float", MPI_FLOAT, floating),
        entry<double>("double", MPI_DOUBLE, floating),
        entry<long double>("long_double", MPI_LONG_DOUBLE, floating),
        entry<bool>("c_bool", MPI_C_BOOL, logical),
        entry<Complex>("c_float_complex", MPI_C_FLOAT_COMPLEX, complex),
        entry<DoubleComplex>("c_double_complex", MPI_C_DOUBLE_COMPLEX, complex),
        entry<LongDoubleComplex>("c_long_double_complex", MPI_C_LONG_DOUBLE_COMPLEX, complex),
        pair_of<short>("short_int", MPI_SHORT_INT),
        pair_of<int>("2int", MPI_2INT),
        pair_of<long>("long_int", MPI_LONG_INT),
        pair_of<float>("float_int", MPI_FLOAT_INT),
        pair_of<double>("double_int", MPI_DOUBLE_INT),
        pair_of<long double>("long_double_int", MPI_LONG_DOUBLE_INT),
    };
    return table;
}

}  // namespace

const ElementType& element_type(const std::string& name)
{
    return named(element_types(), &ElementType::name, "unknown datatype", name);
}

std::vector<std::string> element_type_names() { return names(element_types(), &ElementType::name); }

}  // namespace laneway::bench
