// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "memory.hpp"

/// The datatypes under test. A form holds elements of one kind, and says in which arguments
/// (buffer, count, datatype) a rank passes them.
namespace laneway::property {

using Bytes = std::vector<std::byte>;

/// The contents of one element: its type signature.
enum class Kind : unsigned char {
    integer,  ///< int
    real,     ///< double
    pair,     ///< double, int
    two,      ///< int, int
    nothing,
};

/// Bytes of data in an element.
std::size_t size_of(Kind kind);

/// A datatype and how many of it make up the elements; freed with its last owner.
struct Typed {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int count = 0;
    std::vector<MPI_Aint> offsets = {};  ///< places of the ints in a `type`, for users' operators
    bool predefined = false;

    Typed() = default;
    Typed(const Typed&) = delete;
    Typed& operator=(const Typed&) = delete;
    ~Typed();
};

struct Form {
    const char* name;
    Kind kind;
    /// The types for `elements` elements. Where the form differs between ranks, so does `turn`.
    void (*make)(Typed& typed, int turn, int elements);
    bool uniform = true;      ///< whether all ranks have equal arguments, as libraries prefer
    bool absolute = false;    ///< MPI_BOTTOM and a type of addresses
    bool moved_only = false;  ///< nothing to reduce
    bool wide = false;        ///< the extent goes beyond the data
    bool shifted = false;     ///< the data do not begin at the address of the element
};

const std::vector<Form>& forms();

/// The first, and plainest, of a kind.
const Form& plain(Kind kind);

/// A type of `elements` pairs of ints at their addresses, from `data` on.
void absolute(Typed& typed, void* data, int elements);

/// Transfers data `from` one place, whatever its type, `to` another one.
void transfer(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
              MPI_Datatype to_type);

/// The known bytes of memory, margins, gaps and holes included.
std::byte filler(std::size_t at);

/// Arguments of a call under test with the memory behind them: a row of blocks of `elements` elements each.
/// Margins are on both sides, and all of it is filled with known bytes, gaps included.
class Slot {
public:
    Slot(const Form& form, int turn, int elements, int blocks = 1);

    /// A slot with the same arguments in memory of its own.
    Slot twin() const;

    void* data() const { return data_; }
    /// The count of a block.
    int count() const { return typed_->count; }
    MPI_Datatype type() const { return typed_->type; }
    Kind kind() const { return form_->kind; }

    /// Bytes of data, in all blocks.
    std::size_t bytes() const { return static_cast<std::size_t>(blocks_) * block_bytes(); }
    /// Bytes from the first to the last, gaps included.
    std::size_t span() const { return span_; }
    /// Bytes that a copy in wire form takes; 0 where the data are in wire form as they are.
    std::size_t wire_bytes() const;

    /// The elements as the packed bytes of their type signature, from `block` on.
    void write(const Bytes& packed, int block = 0);
    Bytes packed() const;

    /// Everything: margins, gaps and data.
    const Memory& memory() const { return memory_; }

    /// True where the type itself has padding that a library may copy along (MPI_DOUBLE_INT).
    bool padded() const { return form_->kind == Kind::pair; }
    /// Sets such padding to a fixed value.
    void clear_padding();

private:
    Slot(const Form& form, int turn, int elements, int blocks, std::shared_ptr<const Typed> typed);
    std::size_t block_bytes() const;
    void allocate(MPI_Datatype type, int count);

    const Form* form_;
    int turn_;
    int elements_;
    int blocks_;
    std::shared_ptr<const Typed> typed_;
    Memory memory_;
    void* data_ = nullptr;
    std::size_t span_ = 0;
};

/// Where the ints of an element of `type` lie. Throws for a type that no test made: a reduction
/// must hand the caller's own handle to the operator.
const std::vector<MPI_Aint>& offsets_in(MPI_Datatype type);

}  // namespace laneway::property
