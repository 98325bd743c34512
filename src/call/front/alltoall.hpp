// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/data.hpp"

namespace laneway {

struct AlltoallFront {
    using Call = Alltoall;
    Data input;
    Data result;
    MPI_Comm comm;

    static constexpr const auto& library = real::Alltoall;
    int by(const auto& function, auto... more) const
    {
        return function(input.address, input.count, input.type, const_cast<void*>(result.address),
                        result.count, result.type, comm, more...);
    }

    bool acceptable(Member) const { return input.acceptable_or_in_place() && result.acceptable(); }

    int without_data(MPI_Comm alone, Member) const
    {
        return AlltoallFront{empty(input, &nowhere[0]), empty(result, &nowhere[1]), alone}.by(
            library);
    }
    Question question(Member) const { return asked_of(input, result); }
    std::array<Data, 2> significant(Member) const
    {
        return {input.in_place() ? no_data : input, result};
    }
    bool is_aliased(Member) const
    {
        return reports_one_buffer<Call>() && are_alike(input, result) &&
               input.address == result.address;
    }

    std::optional<Facts> facts(Member me) const { return moved(result.bytes(), copies(me.size)); }

    class Wired {
    public:
        Wired(const AlltoallFront& front, const Comm& world)
            // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
            : unit_(*Unit::dividing(front.result.bytes(), copies(world.size()))),
              to_(front.result.buffer(world.size()), unit_, world)
        {
            if (!front.input.in_place())
                from_.emplace(front.input.buffer(world.size()), unit_, world);
        }
        std::array<Packing, 2> packings() const
        {
            const Stretch all{0, to_.count()};
            if (!from_) return {{{&to_, all, all}, {}}};
            return {{{&*from_, {0, from_->count()}, {}}, {&to_, {}, all}}};
        }
        Alltoall call() const { return {(from_ ? *from_ : to_).buffer(), to_.buffer()}; }

    private:
        Unit unit_;
        Wire to_;
        std::optional<Wire> from_;
    };

private:
    /// Leaders hold the rows of all processes of their node.
    static std::int64_t copies(int size) { return std::int64_t{size} * size; }
};

}  // namespace laneway
