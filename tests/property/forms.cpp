// SPDX-License-Identifier: BSD-3-Clause
#include "forms.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>

#include "data/buffer.hpp"
#include "data/datatype.hpp"
#include "library/error.hpp"

#if MPI_VERSION >= 4
extern "C" __attribute__((weak)) decltype(PMPI_Type_contiguous_c) PMPI_Type_contiguous_c;
extern "C" __attribute__((weak)) decltype(PMPI_Type_vector_c) PMPI_Type_vector_c;
#endif

namespace laneway::property {
namespace {

constexpr std::size_t margin = 64;
constexpr MPI_Aint int_bytes = sizeof(int);

std::map<MPI_Datatype, std::vector<MPI_Aint>>& known_offsets()
{
    static std::map<MPI_Datatype, std::vector<MPI_Aint>> offsets;
    return offsets;
}

void predefined(Typed& typed, MPI_Datatype type, int count)
{
    typed.type = type;
    typed.count = count;
    typed.predefined = true;
}

void derived(Typed& typed, MPI_Datatype type, int count, std::vector<MPI_Aint> offsets)
{
    check(PMPI_Type_commit(&type));
    typed.type = type;
    typed.count = count;
    typed.offsets = std::move(offsets);
    known_offsets()[type] = typed.offsets;
}

/// Makes a type of two ints at `first` and `second`. Elements are `extent` bytes apart (0: the natural
/// extent), the first of them seen from `lower_bound` on.
void two_ints(Typed& typed, int count, MPI_Aint first, MPI_Aint second, MPI_Aint lower_bound = 0,
              MPI_Aint extent = 0)
{
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Aint, 2> offsets{first, second};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed(2, lengths.data(), offsets.data(), MPI_INT, &type));
    if (extent != 0) {
        MPI_Datatype natural = type;
        check(PMPI_Type_create_resized(natural, lower_bound, extent, &type));
        check(PMPI_Type_free(&natural));
    }
    derived(typed, type, count, {first, second});
}

void vector(Typed& typed, int, int elements)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_vector(2, 1, 3, MPI_INT, &type));
    derived(typed, type, elements, {0, 3 * int_bytes});
}

void structure(Typed& typed, int, int elements)
{
    const std::array<int, 2> lengths{1, 1};
    const std::array<MPI_Aint, 2> offsets{4, 12};
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &type));
    derived(typed, type, elements, {offsets.begin(), offsets.end()});
}

void contiguous(Typed& typed, int ints, int count)
{
    std::vector<MPI_Aint> offsets;
    for (int i = 0; i < ints; ++i) offsets.push_back(i * int_bytes);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_contiguous(ints, MPI_INT, &type));
    derived(typed, type, count, std::move(offsets));
}

#if MPI_VERSION >= 4
/// For types that a large-count function made, the library answers questions of the common form with
/// an error. Where an earlier release of the library lacks the function, the type is a common one.
void large_contiguous(Typed& typed, int, int elements)
{
    if (!&PMPI_Type_contiguous_c) return contiguous(typed, 2, elements);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_contiguous_c(2, MPI_INT, &type));
    derived(typed, type, elements, {0, int_bytes});
}

void large_vector(Typed& typed, int turn, int elements)
{
    if (!&PMPI_Type_vector_c) return vector(typed, turn, elements);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_vector_c(2, 1, 3, MPI_INT, &type));
    derived(typed, type, elements, {0, 3 * int_bytes});
}
#endif

/// One signature in different (count, type) pairs.
void mixed(Typed& typed, int turn, int elements)
{
    switch (turn % 4) {
    case 0:
        predefined(typed, MPI_INT, 2 * elements);
        break;
    case 1:
        contiguous(typed, 2 * elements, 1);
        break;
    case 2:
        vector(typed, turn, elements);
        break;
    default:
        contiguous(typed, 2, elements);
        break;
    }
}

}  // namespace

void absolute(Typed& typed, void* data, int elements)
{
    MPI_Aint address = 0;
    check(PMPI_Get_address(data, &address));
    std::vector<MPI_Aint> offsets;
    for (int i = 0; i < 2 * elements; ++i) offsets.push_back(address + i * int_bytes);
    const int length = 2 * elements;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    check(PMPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type));
    derived(typed, type, 1, std::move(offsets));
}

/// MPI_Pack would do, but MPICH's takes no MPI_BOTTOM.
void transfer(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count,
              MPI_Datatype to_type)
{
    constexpr int self = 0, tag = 0;
    check(PMPI_Sendrecv(from, from_count, from_type, self, tag, to, to_count, to_type, self, tag,
                        MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

std::byte filler(std::size_t i) { return static_cast<std::byte>(0xA5u ^ (i * 7u)); }

std::size_t size_of(Kind kind)
{
    switch (kind) {
    case Kind::integer:
        return sizeof(int);
    case Kind::real:
        return sizeof(double);
    case Kind::pair:
        return sizeof(double) + sizeof(int);
    case Kind::two:
        return 2 * sizeof(int);
    case Kind::nothing:
        break;
    }
    return 0;
}

const std::vector<Form>& forms()
{
    static const std::vector<Form> all{
        {"int", Kind::integer, [](Typed& t, int, int n) { predefined(t, MPI_INT, n); }},
        {"double", Kind::real, [](Typed& t, int, int n) { predefined(t, MPI_DOUBLE, n); }},
        {"pair", Kind::pair, [](Typed& t, int, int n) { predefined(t, MPI_DOUBLE_INT, n); }},
        {"contiguous", Kind::two, [](Typed& t, int, int n) { contiguous(t, 2, n); }},
        {"vector", Kind::two, vector},
#if MPI_VERSION >= 4
        {"large_contiguous", Kind::two, large_contiguous},
        {"large_vector", Kind::two, large_vector},
#endif
        {.name = "resized",
         .kind = Kind::two,
         .make = [](Typed& t, int, int n) { two_ints(t, n, 0, 8, 0, 20); },
         .wide = true},
        {.name = "struct", .kind = Kind::two, .make = structure, .shifted = true},
        {.name = "negative",
         .kind = Kind::two,
         .make = [](Typed& t, int, int n) { two_ints(t, n, -12, -4, -16, 20); },
         .wide = true,
         .shifted = true},
        {"permuted", Kind::two, [](Typed& t, int, int n) { two_ints(t, n, 4, 0); }},
        {.name = "descending",
         .kind = Kind::two,
         .make = [](Typed& t, int, int n) { two_ints(t, n, 0, 4, 0, -12); },
         .uniform = false,  // negative extents are beyond the libraries themselves
         .moved_only = true},
        {"empty", Kind::nothing, [](Typed& t, int, int n) { contiguous(t, 0, n); }},
        {.name = "mixed", .kind = Kind::two, .make = mixed, .uniform = false, .moved_only = true},
        {.name = "bottom", .kind = Kind::two, .make = nullptr, .uniform = false, .absolute = true},
    };
    return all;
}

const Form& plain(Kind kind)
{
    return *std::find_if(forms().begin(), forms().end(),
                         [&](const Form& form) { return form.kind == kind; });
}

Typed::~Typed()
{
    if (predefined || type == MPI_DATATYPE_NULL) return;
    known_offsets().erase(type);
    PMPI_Type_free(&type);
}

const std::vector<MPI_Aint>& offsets_in(MPI_Datatype type) { return known_offsets().at(type); }

Slot::Slot(const Form& form, int turn, int elements, int blocks, std::shared_ptr<const Typed> typed)
    : form_(&form),
      turn_(turn),
      elements_(elements),
      blocks_(blocks),
      typed_(std::move(typed))
{
    if (typed_) {
        allocate(typed_->type, blocks * typed_->count);
        return;
    }
    const auto made = std::make_shared<Typed>();
    if (form.absolute) {
        allocate(MPI_INT, blocks * 2 * elements);
        absolute(*made, data_, elements);
        data_ = MPI_BOTTOM;
    } else {
        form.make(*made, turn, elements);
        allocate(made->type, blocks * made->count);
    }
    typed_ = made;
}

Slot::Slot(const Form& form, int turn, int elements, int blocks)
    : Slot(form, turn, elements, blocks, nullptr)
{
}

Slot Slot::twin() const
{
    return {*form_, turn_, elements_, blocks_, form_->absolute ? nullptr : typed_};
}

void Slot::allocate(MPI_Datatype type, int count)
{
    MPI_Aint first = 0;
    if (count > 0) {
        const auto [lower_bound, extent] = true_extent_of(type);
        const MPI_Aint last = (count - 1) * extent_of(type);
        first = lower_bound + std::min<MPI_Aint>(0, last);
        span_ = static_cast<std::size_t>(extent + std::max(last, -last));
    }
    memory_.resize(span_ + 2 * margin);
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = filler(i);
    data_ = advanced(memory_.data() + margin, -first);
}

std::size_t Slot::block_bytes() const
{
    return static_cast<std::size_t>(elements_) * property::size_of(form_->kind);
}

std::size_t Slot::wire_bytes() const { return is_gap_free(type()) ? 0 : bytes(); }

void Slot::write(const Bytes& packed, int block)
{
    if (packed.empty()) return;
    const auto length = static_cast<int>(packed.size());
    const int blocks = length / static_cast<int>(block_bytes());
    const Buffer to = Buffer::of(data_, blocks_ * count(), type()).slice(block * count(), 0);
    transfer(packed.data(), length, MPI_PACKED, to.data, blocks * count(), type());
}

Bytes Slot::packed() const
{
    Bytes result(bytes());
    transfer(data_, blocks_ * count(), type(), result.data(), static_cast<int>(result.size()),
             MPI_PACKED);
    return result;
}

void Slot::clear_padding()
{
    constexpr std::size_t stride = sizeof(double) + 2 * sizeof(int);
    for (int i = 0; padded() && i < blocks_ * elements_; ++i)
        std::memset(
            memory_.data() + margin + static_cast<std::size_t>(i) * stride + size_of(kind()), 0,
            stride - size_of(kind()));
}

}  // namespace laneway::property
