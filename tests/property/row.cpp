// SPDX-License-Identifier: BSD-3-Clause
#include "row.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/buffer.hpp"
#include "data/datatype.hpp"
#include "library/error.hpp"
#include "operators.hpp"

namespace laneway::property {
namespace {

/// Where blocks without data lie, if anywhere: nobody goes there.
constexpr int nowhere = std::numeric_limits<int>::max();

/// Forms of one kind whose blocks a row may mix.
std::vector<const Form*> forms_like(const Form& form)
{
    std::vector<const Form*> result;
    for (const Form& other : forms())
        if (other.kind == form.kind && !other.absolute) result.push_back(&other);
    return result;
}

}  // namespace

Bytes block_of(const Form& form, int sender, int block, int elements, Places places)
{
    const auto seed = static_cast<unsigned>(sender);
    if (places != Places::overlapping)
        return arbitrary(form.kind, elements, seed * 64 + static_cast<unsigned>(block));
    // Each begins an element after the one before.
    Bytes all = arbitrary(form.kind, block + elements, seed);
    const auto first = static_cast<std::ptrdiff_t>(size_of(form.kind)) * block;
    return {all.begin() + first, all.end()};
}

Row::Row(const Form& form, int turn, std::vector<int> lengths, Places places, Types types)
    : form_(&form),
      turn_(turn),
      lengths_(std::move(lengths)),
      at_(places),
      of_(types),
      blocks_(lengths_.size())
{
    make_types();
    for (int block = 0; block < size(); ++block) {
        const auto& typed = *typed_[of_ == Types::one ? 0 : static_cast<std::size_t>(block)];
        blocks_[static_cast<std::size_t>(block)].count =
            typed.count * lengths_[static_cast<std::size_t>(block)];
    }
    if (of_ == Types::one || at_ == Places::overlapping)
        place_by_units();
    else
        place_by_bytes();
    allocate();
    if (form.absolute) name_by_addresses();
    fill_arrays();
}

Row Row::twin() const { return {*form_, turn_, lengths_, at_, of_}; }

/// Makes the types, of an element each.
void Row::make_types()
{
    const bool mixes = of_ == Types::by_block && at_ != Places::overlapping;
    const auto like = forms_like(*form_);
    const auto own = std::ranges::find(like, form_) - like.begin();
    for (int block = 0; block < (of_ == Types::one ? 1 : std::max(1, size())); ++block) {
        const auto made = std::make_shared<Typed>();
        if (form_->absolute) {
            plain(form_->kind).make(*made, turn_, 1);
        } else if (mixes) {
            const auto other = static_cast<std::size_t>(own + block + turn_) % like.size();
            like[other]->make(*made, turn_ + block, 1);
        } else {
            form_->make(*made, turn_, 1);
        }
        typed_.push_back(made);
    }
}

MPI_Datatype Row::type_of(int block) const
{
    return typed_[of_ == Types::one ? 0 : static_cast<std::size_t>(block)]->type;
}

Row::Extent Row::extent(int block) const
{
    const auto [lower_bound, length] = true_extent_of(type_of(block));
    const MPI_Aint last =
        (blocks_[static_cast<std::size_t>(block)].count - 1) * extent_of(type_of(block));
    return {lower_bound + std::min<MPI_Aint>(0, last),
            lower_bound + length + std::max<MPI_Aint>(0, last)};
}

/// A row of extents of one type.
void Row::place_by_units()
{
    const MPI_Aint unit = extent_of(type_of(0));
    const int step = typed_.front()->count;
    int next = 0;
    const auto put = [&](int block, int hole) {
        Block& its = blocks_[static_cast<std::size_t>(block)];
        its.begin = next * unit;
        next += its.count + hole * step;
    };
    for (int block = 0; block < size(); ++block) {
        if (at_ == Places::in_order) put(block, 0);
        if (at_ == Places::apart) put(block, 1 + block % 3);
        if (at_ == Places::reversed) put(size() - 1 - block, block % 2);
        if (at_ == Places::overlapping)
            blocks_[static_cast<std::size_t>(block)].begin = block * step * unit;
    }
    if (at_ == Places::reversed)
        for (Block& block : blocks_) block.begin -= next * unit;
}

/// Each where the one before it ends, whatever its type.
void Row::place_by_bytes()
{
    constexpr MPI_Aint hole = 8;
    MPI_Aint next = 0;
    for (int i = 0; i < size(); ++i) {
        const int block = at_ == Places::reversed ? size() - 1 - i : i;
        Block& its = blocks_[static_cast<std::size_t>(block)];
        const auto [first, last] = its.count > 0 ? extent(block) : Extent{0, 0};
        its.begin = next - first;
        next += last - first;
        if (form_->kind == Kind::pair) next = (next + hole - 1) / hole * hole;  // its padding
        if (at_ == Places::apart) next += hole * (1 + i % 3);
        if (at_ == Places::reversed) next += hole * (i % 2);
    }
    if (at_ == Places::reversed)
        for (Block& block : blocks_) block.begin -= next;
}

void Row::allocate()
{
    constexpr std::size_t margin = 64;
    MPI_Aint first = std::numeric_limits<MPI_Aint>::max(), last = 0;
    bool any = false;
    for (int block = 0; block < size(); ++block) {
        const Block& its = blocks_[static_cast<std::size_t>(block)];
        if (its.count == 0) continue;
        const auto [begin, end] = extent(block);
        first = std::min(first, its.begin + begin);
        last = any ? std::max(last, its.begin + end) : its.begin + end;
        any = true;
    }
    if (!any) first = last;
    memory_.resize(static_cast<std::size_t>(last - first) + 2 * margin);
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = filler(i);
    data_ = advanced(memory_.data() + margin, -first);
}

/// MPI_BOTTOM is the address of the row, and types have that of the first element, or of their block's.
void Row::name_by_addresses()
{
    const auto named = [&](MPI_Aint begin) {
        const auto made = std::make_shared<Typed>();
        absolute(*made, advanced(data_, begin), 1);
        return made;
    };
    if (of_ == Types::one) {
        typed_.front() = named(0);
    } else {
        for (int block = 0; block < size(); ++block) {
            Block& its = blocks_[static_cast<std::size_t>(block)];
            typed_[static_cast<std::size_t>(block)] = named(its.begin);
            its.begin = 0;
        }
    }
    data_ = MPI_BOTTOM;
}

void Row::fill_arrays()
{
    const MPI_Aint unit = of_ == Types::one ? extent_of(type_of(0)) : 1;
    for (int block = 0; block < size(); ++block) {
        const Block& its = blocks_[static_cast<std::size_t>(block)];
        const MPI_Aint place = unit == 0 ? block : its.begin / unit;
        const bool astray = its.count == 0 && at_ == Places::apart;
        counts_.push_back(its.count);
        places_.push_back(astray ? nowhere : static_cast<int>(place));
        types_.push_back(type_of(block));
        large_counts_.push_back(its.count);
        large_places_.push_back(places_.back());
    }
    // A row of no blocks has arrays, too: Open MPI takes no null for one.
    counts_.reserve(1), places_.reserve(1), types_.reserve(1);
    large_counts_.reserve(1), large_places_.reserve(1);
}

std::size_t Row::bytes() const
{
    std::size_t result = 0;
    for (const int length : lengths_) result += static_cast<std::size_t>(length);
    return result * size_of(form_->kind);
}

std::size_t Row::wire_bytes() const
{
    if (of_ == Types::one && at_ == Places::in_order && is_gap_free(type())) return 0;
    return bytes();
}

void Row::write(const Bytes& packed, int block)
{
    if (packed.empty()) return;
    const Block& its = blocks_[static_cast<std::size_t>(block)];
    transfer(packed.data(), static_cast<int>(packed.size()), MPI_PACKED, advanced(data_, its.begin),
             its.count, type_of(block));
}

Bytes Row::packed() const
{
    Bytes result;
    for (int block = 0; block < size(); ++block) {
        const Block& its = blocks_[static_cast<std::size_t>(block)];
        Bytes part(static_cast<std::size_t>(lengths_[static_cast<std::size_t>(block)]) *
                   size_of(form_->kind));
        transfer(advanced(data_, its.begin), its.count, type_of(block), part.data(),
                 static_cast<int>(part.size()), MPI_PACKED);
        result.insert(result.end(), part.begin(), part.end());
    }
    return result;
}

void Row::clear_padding()
{
    if (form_->kind != Kind::pair) return;
    constexpr std::size_t stride = sizeof(double) + 2 * sizeof(int);
    for (const Block& block : blocks_)
        for (int element = 0; element < block.count; ++element)
            std::memset(
                advanced(data_, block.begin + static_cast<MPI_Aint>(
                                                  static_cast<std::size_t>(element) * stride +
                                                  size_of(Kind::pair))),
                0, stride - size_of(Kind::pair));
}

}  // namespace laneway::property
