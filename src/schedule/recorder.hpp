// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/recording.hpp"
#include "schedule/program.hpp"

namespace laneway {

/// Writes the work of an algorithm into a program instead of doing it. An algorithm can be recorded because its
/// control flow does not depend on data that it receives.
class Recorder final : public Recording {
public:
    /// The recorder of the calling thread; null: algorithms are carried out.
    static Recorder* current() { return static_cast<Recorder*>(Recording::current()); }

    /// Becomes current until its scope ends. The first group of the program is `world`. The caller's buffers lie at
    /// symbolic::address(0) and so on, up to `buffers` of them; tags that algorithms use are below `tags`. With
    /// `saves_bytes`, components always save bytes; else only where others are carried out at the same time. `empty`:
    /// a program whose memory is used.
    Recorder(const Comm& world, std::size_t buffers, int tags, bool saves_bytes = false,
             Program empty = {});
    /// Types that the program owns are freed, and not kept for it.
    ~Recorder() override { end(); }

    /// Whether algorithms are checked to use temporary memory only as long as they have it.
    static inline bool checks = false;

    /// The program that was recorded. Ends the recording.
    Program take();

    std::uint32_t send(const Comm& comm, const Buffer& data, int to, int tag) override;
    std::uint32_t receive(const Comm& comm, const Buffer& data, int from, int tag) override;
    void wait(const std::uint32_t* messages, std::size_t count) override;
    void copy(const Buffer& from, const Buffer& to) override;
    void reduce(const Buffer& left, const Buffer& result) override;
    void* allocate(std::size_t bytes) override;
    void give_back(void* start, std::size_t bytes) override;
    void keep(MPI_Datatype type) override;
    bool saves_bytes() const override { return saves_bytes_ || strand_ != 0; }
    bool is_in_child() const override { return strand_ != 0 || in_only_child_; }

    /// Calls `body(i)` for i = 0 to `count` - 1 as concurrent children, at most `ahead` of them under way at once.
    /// Children of children are carried out one after the other. An only child needs no strand: nothing else is under
    /// way, so its components need few rounds.
    template <class Body>
    void concurrently(int count, int ahead, const Body& body)
    {
        if (is_in_child() || count == 1) {
            const bool outer = std::exchange(in_only_child_, strand_ == 0);
            for (int child = 0; child < count; ++child) body(child);
            in_only_child_ = outer;
            return;
        }
        const std::size_t first = program_.strands.size();
        for (int child = 0; child < count; ++child) {
            if (child >= ahead) join(first + static_cast<std::size_t>(child - ahead));
            fork(1 + static_cast<std::uint32_t>(child % ahead));
            body(child);
            strand_ = 0;
        }
        for (int child = std::max(0, count - ahead); child < count; ++child)
            join(first + static_cast<std::size_t>(child));
    }

private:
    Strand& strand() { return program_.strands[strand_]; }
    Operation& append(Operation::Kind kind)
    {
        return strand().operations.emplace_back(Operation{.kind = kind});
    }
    Operation& message(Operation::Kind kind, const Comm& comm, const Buffer& data, int peer,
                       int tag);
    void check_use(const Buffer& data, std::uint16_t type);
    std::uint16_t group_of(const Comm& comm);
    std::uint16_t index_of(MPI_Datatype type);
    void fork(std::uint32_t slot);
    void join(std::size_t child);
    std::size_t& used() { return used_[strand().slot]; }

    const bool saves_bytes_;
    Program program_;
    std::size_t strand_ = 0;
    bool in_only_child_ = false;
    std::vector<std::size_t> used_;  ///< bytes of each slot at present
    /// Index of each type, where there are many.
    std::unordered_map<std::int64_t, std::uint16_t> type_index_;
    /// @name What `checks` needs
    /// @{
    std::vector<MPI_Aint> lower_bounds_;  ///< true lower bounds, by type
    struct UnderWay {
        std::vector<void*> uses;     ///< memory by message of the strand; null once awaited
        std::size_t waited_for = 0;  ///< number of these that are null
    };
    UnderWay& under_way() { return strand_ == 0 ? of_strand_0_ : of_child_; }
    UnderWay of_strand_0_, of_child_;
    /// @}
};

}  // namespace laneway
