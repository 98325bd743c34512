// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/front/data.hpp"

namespace laneway {

struct BcastFront {
    using Call = Bcast;
    Data data;
    int root;
    MPI_Comm comm;

    static constexpr const auto& library = real::Bcast;
    int by(const auto& function, auto... more) const
    {
        return function(const_cast<void*>(data.address), data.count, data.type, root, comm,
                        more...);
    }

    bool acceptable(Member me) const { return data.acceptable() && me.knows(root); }

    /// MPICH asks more of data with elements than of data without, and looks at the elements even where a
    /// process is alone. An allgather of no elements asks as much.
    int without_data(MPI_Comm alone, Member) const
    {
        const Data sent = empty(data, &nowhere[0]);
        if (data.count == 0) return real::Bcast(&nowhere[0], sent.count, sent.type, 0, alone);
        return real::Allgather(sent.address, sent.count, sent.type, static_cast<void*>(&nowhere[1]),
                               sent.count, sent.type, alone);
    }
    Question question(Member) const { return asked_of(data, no_data, data.count == 0); }
    std::array<Data, 1> significant(Member) const { return {data}; }
    bool is_aliased(Member) const { return false; }

    std::optional<Facts> facts(Member) const { return moved(data.bytes(), 1); }

    class Wired {
    public:
        Wired(const BcastFront& front, const Comm& world)
            // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
            : unit_(*Unit::dividing(front.data.bytes(), 1)),
              wire_(front.data.buffer(), unit_, world),
              root_(front.root),
              is_root_(world.rank() == front.root)
        {
        }
        std::array<Packing, 1> packings() const
        {
            const Stretch all{0, wire_.count()};
            return {{{&wire_, is_root_ ? all : Stretch{}, is_root_ ? Stretch{} : all}}};
        }
        Bcast call() const { return {wire_.buffer(), root_}; }

    private:
        Unit unit_;
        Wire wire_;
        int root_;
        bool is_root_;
    };
};

}  // namespace laneway
