// SPDX-License-Identifier: BSD-3-Clause
#include "bench/types.hpp"

#include "bench/options.hpp"

namespace laneway::bench {
namespace {

template <class T>
void write(void* data, std::size_t index, int value)
{
    static_cast<T*>(data)[index] = static_cast<T>(value);
}

template <class T>
Datatype entry(const char* name, MPI_Datatype handle, Datatype::Kind kind)
{
    return {name, handle, sizeof(T), kind, write<T>};
}

// Functions, not objects: the handles of some libraries are no constants.
const std::vector<Datatype>& datatypes()
{
    using enum Datatype::Kind;
    static const std::vector<Datatype> table = {
        entry<unsigned char>("byte", MPI_BYTE, byte), entry<short>("short", MPI_SHORT, integer),
        entry<int>("int", MPI_INT, integer),          entry<long>("long", MPI_LONG, integer),
        entry<float>("float", MPI_FLOAT, floating),   entry<double>("double", MPI_DOUBLE, floating),
    };
    return table;
}

const std::vector<Op>& ops()
{
    using enum Op::Domain;
    static const std::vector<Op> table = {
        {"sum", MPI_SUM, numbers},    {"prod", MPI_PROD, numbers},  {"max", MPI_MAX, numbers},
        {"min", MPI_MIN, numbers},    {"land", MPI_LAND, integers}, {"lor", MPI_LOR, integers},
        {"lxor", MPI_LXOR, integers}, {"band", MPI_BAND, bits},     {"bor", MPI_BOR, bits},
        {"bxor", MPI_BXOR, bits},
    };
    return table;
}

template <class Entry>
const Entry& find(const std::vector<Entry>& table, const char* what, const std::string& name)
{
    std::string known;
    for (const Entry& entry : table) {
        if (name == entry.name) return entry;
        known += std::string(known.empty() ? "" : ", ") + entry.name;
    }
    throw UsageError("unknown " + std::string(what) + " '" + name + "'; known: " + known);
}

template <class Entry>
std::vector<std::string> names(const std::vector<Entry>& table)
{
    std::vector<std::string> all;
    for (const Entry& entry : table) all.emplace_back(entry.name);
    return all;
}

}  // namespace

const Datatype& datatype(const std::string& name) { return find(datatypes(), "datatype", name); }
const Op& op(const std::string& name) { return find(ops(), "op", name); }

std::vector<std::string> datatype_names() { return names(datatypes()); }
std::vector<std::string> op_names() { return names(ops()); }

bool applies(const Op& op, const Datatype& datatype)
{
    switch (datatype.kind) {
    case Datatype::Kind::byte:
        return op.domain == Op::Domain::bits;
    case Datatype::Kind::floating:
        return op.domain == Op::Domain::numbers;
    case Datatype::Kind::integer:
        return true;
    }
    return false;
}

}  // namespace laneway::bench
