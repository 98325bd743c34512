// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/algorithm.hpp"
#include "layout/layout.hpp"

/// Property tests without mpirun: all ranks in this process, their programs carried out with real data in an
/// order that a seed decides (carriers/in_process.hpp).
namespace laneway::in_process {

/// Elements that are moved or reduced, with values whose reduction in any other than rank order, or of other
/// elements, differs.
struct Elements {
    const char* name;
    MPI_Datatype type;
    MPI_Op op;  ///< MPI_OP_NULL: they are moved only
    bool commutative;
    int numbers;          ///< std::uint32_t of data in one element
    int stride;           ///< distance of elements in std::uint32_t
    std::vector<int> at;  ///< where these numbers stand in an element
};

/// The numbers of an element, as many as its kind has.
using Value = std::array<std::uint32_t, 2>;

/// All kinds. Call after MPI_Init.
const std::vector<Elements>& kinds();

/// A row of elements of one kind, between guards that nothing may write to.
class Row {
public:
    Row(const Elements& kind, std::int64_t count);
    Buffer buffer() const;
    void set(std::int64_t element, const Value& value);
    Value get(std::int64_t element) const;
    /// Something was written that is no data.
    bool is_overrun() const;

private:
    const Elements* kind_;
    std::int64_t count_;
    std::vector<std::uint32_t> memory_;
};

/// The operand of `rank` at `element`.
Value operand(const Elements& kind, int rank, std::int64_t element);
/// The reduction of those of ranks `first` to `last` - 1 in rank order.
Value reduction(const Elements& kind, int first, int last, std::int64_t element);

/// One case: a call of an algorithm on a layout.
struct Case {
    std::string_view collective, algorithm;
    std::shared_ptr<const Layout> layout;
    std::string shape;
    const Elements* kind;
    std::int64_t count;
    int root;
    bool in_place;
    /// Components send few bytes instead of needing few rounds.
    bool saves_bytes;
    std::uint64_t seed;
    std::vector<std::pair<std::string, std::int64_t>> tunables = {};

    std::string id() const;
};

/// What is wrong; empty: nothing, or the algorithm is not eligible. Counts messages.
std::string fault_of(const Case& the_case, std::int64_t& messages);

/// Names of algorithms by collective.
std::vector<std::pair<std::string_view, std::string_view>> algorithms();
bool has_root(std::string_view collective);
bool reduces_elements(std::string_view collective);

}  // namespace laneway::in_process
