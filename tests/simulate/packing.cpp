// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking as operations of a program: what is done, and in which order.
#include "schedule/packing.hpp"

#include <algorithm>
#include <string>

#include "cases/case.hpp"
#include "collectives/algorithm.hpp"
#include "collectives/facts_of.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;
using Kind = Operation::Kind;

// Two elements of the caller's, 12 bytes each, are three units.
constexpr std::int64_t unit = 8, step_bytes = 24, step_elements = 2, step_units = 3;

Buffer units(std::size_t base, std::int64_t steps)
{
    return {symbolic::address(base), steps * step_units, MPI_INT64_T, unit};
}
Stretch stretch(std::int64_t first, std::int64_t steps)
{
    return {first * step_elements, steps * step_elements};
}
PackedData data(std::size_t base, Stretch out, Stretch in)
{
    return {symbolic::address(base), step_elements, step_bytes, out, in};
}

/// The facts of a step while the program is walked.
struct Step {
    bool goes_out = false, comes_in = false;
    bool used = false, written = false, packed = false, unpacked = false;
};

/// Walks a program, and looks at every step of the packed data.
class Walk {
public:
    Walk(const Program& program, const std::vector<PackedData>& data, std::int64_t steps)
        : program_(program),
          data_(data),
          steps_(data.size(), std::vector<Step>(static_cast<std::size_t>(steps)))
    {
        const auto mark = [&](std::size_t which, const Stretch& elements, bool Step::* what) {
            for (std::int64_t at = 0; at < elements.count / step_elements; ++at)
                step(which, elements.first / step_elements + at).*what = true;
        };
        for (std::size_t which = 0; which < data.size(); ++which) {
            mark(which, data[which].out, &Step::goes_out);
            mark(which, data[which].in, &Step::comes_in);
        }
    }

    void run()
    {
        for (const Operation& operation : program_.strands[0].operations) visit(operation);
        for (const auto& of_data : steps_)
            for (const Step& one : of_data) {
                EQUAL(one.packed, one.goes_out && one.used);
                EQUAL(one.unpacked, one.comes_in && one.written);
            }
    }

private:
    Step& step(std::size_t which, std::int64_t at)
    {
        return steps_[which][static_cast<std::size_t>(at)];
    }

    void visit(const Operation& operation)
    {
        switch (operation.kind) {
        case Kind::pack:
        case Kind::unpack:
            for (std::int64_t at = 0; at < operation.count / step_elements; ++at)
                visit(step(static_cast<std::size_t>(operation.peer),
                           operation.to_count / step_elements + at),
                      operation.kind);
            break;
        case Kind::fork:
            for (const Operation& one : child(operation)) use(one);
            break;
        case Kind::join:
            for (const Operation& one : child(operation)) end(one);
            break;
        case Kind::wait:
            for (const std::uint32_t message : program_.strands[0].awaited_by(operation))
                end(*messages_[message]);
            break;
        case Kind::send:
        case Kind::receive:
            messages_.push_back(&operation);
            use(operation);
            break;
        case Kind::copy:
        case Kind::reduce:
            use(operation);
            end(operation);
            break;
        }
    }

    static void visit(Step& one, Kind kind)
    {
        if (kind == Kind::pack) {
            TRUE(one.goes_out && !one.packed && !one.used);
            one.packed = true;
        } else {
            TRUE(one.comes_in && one.written && !one.unpacked);
            one.unpacked = true;
        }
    }

    void use(const Operation& operation)
    {
        if (operation.kind != Kind::receive)
            for_steps(operation.from, operation.count, operation.type, [](Step& one) {
                TRUE(one.packed || !one.goes_out);
                one.used = true;
            });
        for_written(operation, [](Step& one) {
            TRUE(one.packed || !one.goes_out);
            TRUE(!one.unpacked);
            one.used = true;
        });
    }
    void end(const Operation& operation)
    {
        for_written(operation, [](Step& one) {
            TRUE(!one.unpacked);
            one.written = true;
        });
    }

    template <class Body>
    void for_written(const Operation& operation, const Body& body)
    {
        if (operation.kind == Kind::receive)
            for_steps(operation.to, operation.count, operation.type, body);
        if (operation.kind == Kind::copy)
            for_steps(operation.to, operation.to_count, operation.to_type, body);
    }

    template <class Body>
    void for_steps(const void* address, std::int64_t count, std::uint16_t type, const Body& body)
    {
        if (!address || count == 0) return;
        for (std::size_t which = 0; which < data_.size(); ++which) {
            if (symbolic::base_of(address) != symbolic::base_of(data_[which].start)) continue;
            const std::int64_t first = symbolic::offset_of(address);
            const std::int64_t last = first + count * size_of(program_.types[type]);
            for (std::int64_t at = first / step_bytes; at * step_bytes < last; ++at)
                body(step(which, at));
        }
    }

    const std::vector<Operation>& child(const Operation& operation) const
    {
        return program_.strands[static_cast<std::size_t>(operation.peer)].operations;
    }

    const Program& program_;
    const std::vector<PackedData>& data_;
    std::vector<std::vector<Step>> steps_;
    std::vector<const Operation*> messages_;
};

/// The program of `text` on one rank, packing in it.
Program packed(const std::vector<PackedData>& data, const Text& text,
               const std::vector<int>& sizes = {2, 2}, int rank = 0)
{
    const Parts parts(layout_of(sizes, 2), rank);
    const Decomposition on(parts);
    Recorder recorder(on.world, 2, on.tags());
    text(on);
    Program program = recorder.take();
    Footprints types;
    add_packing(program, data, types);
    return program;
}

std::string words(const Program& program)
{
    std::string result;
    for (const Operation& operation : program.strands[0].operations) {
        result += (result.empty() ? "" : " ") + std::string(word_of(operation.kind));
        if (operation.kind == Kind::pack || operation.kind == Kind::unpack)
            result +=
                " " + std::to_string(operation.to_count) + "+" + std::to_string(operation.count);
    }
    return result;
}

const Register straddling("elements that two segments have in common", [] {
    // Segments of 4 units: 0 to 3, 4 to 7, 8 to 11; steps of 3.
    const auto segments = [](bool sends) {
        return [sends](const Decomposition& on) {
            Recorder::current()->concurrently(3, 2, [&](int at) {
                Messages messages(on.world);
                const Buffer segment = units(0, 4).slice(at * std::int64_t{4}, 4);
                sends ? messages.send(segment, 1, 0) : messages.receive(segment, 1, 0);
                messages.wait();
            });
        };
    };
    const std::vector<PackedData> out{data(0, stretch(0, 4), {})}, in{data(0, {}, stretch(0, 4))};
    // The third segment is packed while the first ones are under way.
    EQUAL(words(packed(out, segments(true))),
          std::string("pack 0+4 fork pack 4+2 fork pack 6+2 join fork join join"));
    // Units that the first brings are unpacked once the third is under way, the element in common after the second.
    EQUAL(words(packed(in, segments(false))),
          std::string("fork fork join fork unpack 0+2 join unpack 2+2 join unpack 4+4"));
});

const Register strand("messages of the program itself", [] {
    const std::vector<PackedData> both{data(0, stretch(0, 2), {}), data(1, {}, stretch(0, 4))};
    const Program program = packed(both, [](const Decomposition& on) {
        Messages first(on.world), second(on.world);
        first.receive(units(1, 2), 1, 0);
        second.receive(units(1, 4).slice(6, 6), 2, 0);
        first.send(units(0, 1), 1, 0);
        first.wait();
        second.send(units(0, 2).slice(3, 3), 2, 0);
        second.wait();
    });
    EQUAL(words(program), std::string("receive receive pack 0+2 send pack 2+2 wait send unpack 0+4 "
                                      "wait unpack 4+4"));
});

const Register untouched("what nothing uses stays as it is", [] {
    const std::vector<PackedData> both{data(0, stretch(0, 4), stretch(0, 4))};
    const Program program = packed(both, [](const Decomposition& on) {
        Messages messages(on.world);
        messages.send(units(0, 4).slice(3, 3), 1, 0);
        messages.wait();
    });
    EQUAL(words(program), std::string("pack 2+2 send wait"));
});

const Register nothing("a program without packed data stays as it is", [] {
    const auto text = [](const Decomposition& on) { send(on, 8, 1); };
    EQUAL(words(packed({}, text)), std::string("send wait"));
    EQUAL(words(packed({data(1, stretch(0, 1), stretch(0, 1))}, text)), std::string("send wait"));
});

/// A call on one rank, and what of it is packed.
template <class Call>
struct Job {
    Call call;
    std::vector<PackedData> data;
};

std::vector<Job<Bcast>> jobs(const Bcast*, int, int rank, std::int64_t block)
{
    const Stretch all = stretch(0, block);
    return {{{units(0, block), 0},
             {data(0, rank == 0 ? all : Stretch{}, rank == 0 ? Stretch{} : all)}}};
}
std::vector<Job<Allgather>> jobs(const Allgather*, int size, int rank, std::int64_t block)
{
    const Buffer whole = units(0, size * block);
    const Stretch all = stretch(0, size * block);
    return {{{units(1, block), whole}, {data(0, {}, all), data(1, stretch(0, block), {})}},
            {{whole.slice(rank * block * step_units, block * step_units), whole},
             {data(0, stretch(rank * block, block), all)}}};
}
std::vector<Job<Alltoall>> jobs(const Alltoall*, int size, int, std::int64_t block)
{
    const Stretch all = stretch(0, size * block);
    return {
        {{units(0, size * block), units(1, size * block)}, {data(0, all, {}), data(1, {}, all)}},
        {{units(0, size * block), units(0, size * block)}, {data(0, all, all)}}};
}

/// The stub of MPI tells how these were made.
bool are_known(const Program& program)
{
    return std::ranges::all_of(program.types, [](MPI_Datatype type) { return is_gap_free(type); });
}

const Register algorithms(
    "algorithms: packed before it is used, unpacked after it was written, once", [] {
        int walked = 0;
        const auto walk_all = [&]<class Call>(std::type_identity<Call>) {
            for (const std::vector<int>& sizes : std::vector<std::vector<int>>{{2, 2}, {3, 1, 2}})
                for (const auto& algorithm : laneway::registry::all(laneway::collective_of<Call>))
                    for (int rank = 0; rank < layout_of(sizes)->ranks(); ++rank) {
                        const int size = layout_of(sizes)->ranks();
                        for (const auto& job :
                             jobs(static_cast<const Call*>(nullptr), size, rank, 7)) {
                            const Parts parts(layout_of(sizes, 2), rank);
                            const Decomposition on(parts);
                            const Facts facts = facts_of(job.call, on.world);
                            if (laneway::registry::eligible(&algorithm, facts, on) != &algorithm)
                                continue;
                            Tunables tunables = algorithm.presets;
                            for (const auto& [name, value] : algorithm.presets.all())
                                if (name == "segment") tunables.set(name, 64);
                            Recorder recorder(on.world, 2, on.tags());
                            algorithm.run(job.call, on, tunables);
                            Program program = recorder.take();
                            if (!are_known(program)) continue;
                            Footprints types;
                            add_packing(program, job.data, types);
                            Walk(program, job.data, 7 * std::int64_t{size}).run();
                            ++walked;
                        }
                    }
        };
        walk_all(std::type_identity<Bcast>{});
        walk_all(std::type_identity<Allgather>{});
        walk_all(std::type_identity<Alltoall>{});
        TRUE(walked > 200);
    });

}  // namespace
}  // namespace laneway::simulate
