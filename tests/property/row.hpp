// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "forms.hpp"
#include "irregular.hpp"

namespace laneway::property {

/// Counts and displacements as a call takes them.
template <class Count, class Place>
struct Arrays {
    const Count* counts;
    const Place* places;

    /// Insignificant ones: who reads them crashes.
    static Arrays garbage()
    {
        return {reinterpret_cast<const Count*>(sizeof(Count)),
                reinterpret_cast<const Place*>(sizeof(Place))};
    }
};
using SmallArrays = Arrays<int, int>;
using LargeArrays = Arrays<MPI_Count, MPI_Aint>;

/// Types as MPI_Alltoallw takes them, to be read by nobody.
inline const MPI_Datatype* const garbage_types =
    reinterpret_cast<const MPI_Datatype*>(alignof(MPI_Datatype));

/// Arguments of a vector collective with the memory behind them: a row of blocks, each with a length and a place of its
/// own. Margins and holes are filled with known bytes.
class Row {
public:
    enum class Types : unsigned char {
        one,       ///< one type, whose extent is the unit of places
        by_block,  ///< the unit is the byte, as in MPI_Alltoallw
    };

    /// `lengths`: elements of the blocks.
    Row(const Form& form, int turn, std::vector<int> lengths, Places places,
        Types types = Types::one);

    /// A row of the same arguments in memory of its own.
    Row twin() const;

    void* data() const { return data_; }
    /// The type of all blocks.
    MPI_Datatype type() const { return typed_.front()->type; }
    /// The types by block.
    const MPI_Datatype* types() const { return types_.data(); }
    Kind kind() const { return form_->kind; }
    SmallArrays small() const { return {counts_.data(), places_.data()}; }
    LargeArrays large() const { return {large_counts_.data(), large_places_.data()}; }

    /// Bytes of data, in all blocks.
    std::size_t bytes() const;
    /// Bytes that a copy in wire form takes; 0 where the data are in wire form as they are.
    std::size_t wire_bytes() const;

    /// The elements of a block as the packed bytes of their type signature.
    void write(const Bytes& packed, int block);
    /// The elements of all blocks.
    Bytes packed() const;

    const Memory& memory() const { return memory_; }

    /// See Slot.
    void clear_padding();

private:
    struct Block {
        int count = 0;       ///< in units of its type
        MPI_Aint begin = 0;  ///< in bytes
    };
    /// The bytes of a block from its begin on.
    struct Extent {
        MPI_Aint first, last;
    };
    Extent extent(int block) const;
    MPI_Datatype type_of(int block) const;
    void make_types();
    void place_by_units();
    void place_by_bytes();
    void allocate();
    void name_by_addresses();
    void fill_arrays();
    int size() const { return static_cast<int>(lengths_.size()); }

    const Form* form_;
    int turn_;
    std::vector<int> lengths_;
    Places at_;
    Types of_;
    std::vector<std::shared_ptr<const Typed>> typed_;  ///< one, or one a block
    std::vector<Block> blocks_;
    std::vector<MPI_Datatype> types_;
    std::vector<int> counts_, places_;
    std::vector<MPI_Count> large_counts_;
    std::vector<MPI_Aint> large_places_;
    Memory memory_;
    void* data_ = nullptr;
};

/// The contents of block `block` of a row that `sender` sends: the packed bytes of so many elements. Blocks that
/// overlap have those in common that they share.
Bytes block_of(const Form& form, int sender, int block, int elements, Places places);

}  // namespace laneway::property
