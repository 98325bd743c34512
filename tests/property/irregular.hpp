// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

/// The facts that cases of vector collectives have besides those of regular ones: the lengths and places of blocks.
namespace laneway::property {

struct Case;

enum class Lengths : unsigned char {
    equal,
    rising,   ///< the first has none
    one,      ///< all of one rank
    any,      ///< by chance; one in four has none
    quarter,  ///< one rank in four
    none,
};

enum class Places : unsigned char {
    in_order,  ///< in the order of ranks, without holes
    apart,     ///< in that order, with holes; blocks without data lie anywhere
    reversed,  ///< the last rank's first, before the address of the buffer; some holes
    overlapping,
};

struct Irregular {
    std::string name;
    Lengths lengths;
    Places places;
    bool large;  ///< by the functions with large counts
    bool late;   ///< a process comes late
};

/// All of them, in the same order everywhere.
const std::vector<Irregular>& irregulars();

/// Elements of each block, by the case alone.
class BlockLengths {
public:
    BlockLengths(const Case& the_case, int size);

    /// The elements of the block that rank `rank` has or gets.
    int operator[](int rank) const;
    /// The elements of a block of an alltoallv.
    int between(int from, int to) const;

    std::vector<int> all() const;
    std::vector<int> sent_by(int rank) const;
    std::vector<int> received_by(int rank) const;
    /// Elements of all blocks there are, of an alltoallv if `between_all`.
    long total(bool between_all = false) const;

private:
    int by_chance(int key) const;

    const Case& case_;
    int size_;
    unsigned seed_;
};

}  // namespace laneway::property
