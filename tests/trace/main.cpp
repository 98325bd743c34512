// SPDX-License-Identifier: BSD-3-Clause
// Runs algorithms and prints, as JSON, what they sent: usage below.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>

#include "components.hpp"
#include "core/algorithm.hpp"
#include "core/state.hpp"
#include "mpi/error.hpp"
#include "recorder.hpp"
#include "steps.hpp"

namespace laneway::trace {
namespace {

constexpr const char* usage =
    "usage: mpirun -np P laneway-trace COUNT ROOT COLLECTIVE/ALGORITHM...\n"
    "COUNT ints (a block, where there is one a rank) by those algorithms, one after the other, on\n"
    "virtual nodes of LANEWAY_NODE_SIZE processes; prints a line of JSON for each: the messages,\n"
    "and what components carried if they are chosen to be `components`.\n";

struct Arguments {
    int count;
    int root;
    std::string_view collective, algorithm;
};

/// The buffers of a call, large enough for every collective.
struct Memory {
    Memory(int count, const Comm& world)
        : length(count),
          blocks(count * world.size()),
          input(static_cast<std::size_t>(blocks)),
          output(input.size())
    {
        std::iota(input.begin(), input.end(), 0);
    }

    Buffer one(std::vector<int>& of) const { return Buffer::of(of.data(), length, MPI_INT); }
    Buffer all(std::vector<int>& of) const { return Buffer::of(of.data(), blocks, MPI_INT); }

    int length, blocks;
    std::vector<int> input, output;
};

Bcast make(Bcast*, Memory& of, int root) { return {of.one(of.input), root}; }
Scatter make(Scatter*, Memory& of, int root) { return {of.all(of.input), of.one(of.output), root}; }
Gather make(Gather*, Memory& of, int root) { return {of.one(of.input), of.all(of.output), root}; }
Allgather make(Allgather*, Memory& of, int) { return {of.one(of.input), of.all(of.output)}; }
Alltoall make(Alltoall*, Memory& of, int) { return {of.all(of.input), of.all(of.output)}; }
Reduce make(Reduce*, Memory& of, int root)
{
    return {of.one(of.input), of.one(of.output), MPI_SUM, root};
}
ReduceScatterBlock make(ReduceScatterBlock*, Memory& of, int)
{
    return {of.all(of.input), of.one(of.output), MPI_SUM};
}
Barrier make(Barrier*, Memory&, int) { return {}; }
template <class Reduction>
Reduction make(Reduction*, Memory& of, int)
{
    return {of.one(of.input), of.one(of.output), MPI_SUM};
}

/// All ranks' events on rank 0.
std::vector<std::vector<Event>> gathered(const std::vector<Event>& mine, const Comm& world)
{
    constexpr int fields = sizeof(Event) / sizeof(std::int64_t);
    const int count = static_cast<int>(mine.size()) * fields;
    std::vector<int> counts(static_cast<std::size_t>(world.size()));
    check(PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, world.handle()));
    std::vector<int> first{0};
    for (const int each : counts) first.push_back(first.back() + each);
    std::vector<Event> all(static_cast<std::size_t>(first.back() / fields));
    check(PMPI_Gatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(), first.data(),
                       MPI_INT64_T, 0, world.handle()));
    std::vector<std::vector<Event>> by_rank;
    for (std::size_t rank = 0; world.rank() == 0 && rank < counts.size(); ++rank)
        by_rank.emplace_back(all.begin() + first[rank] / fields,
                             all.begin() + first[rank + 1] / fields);
    return by_rank;
}

void print(const About& about, const Decomposition& on, const std::vector<Message>& messages,
           const std::vector<Components>& components)
{
    std::printf("{\"volume\": \"%s\", \"nodes\": [", about.volume);
    for (int rank = 0; rank < on.world.size(); ++rank)
        std::printf("%s%d", rank > 0 ? ", " : "", on.locate(rank).node);
    std::printf("], \"lanes\": %d, \"messages\": [", on.lanes());
    for (const Message& message : messages)
        std::printf("%s[%d, %d, %ld, %d]", &message == messages.data() ? "" : ", ", message.from,
                    message.to, static_cast<long>(message.bytes), message.step);
    std::printf("], \"components\": [");
    for (const Components& each : components)
        std::printf("%s[%ld, %ld]", &each == components.data() ? "" : ", ",
                    static_cast<long>(each.on_lane), static_cast<long>(each.on_node));
    std::printf("]}\n");
}

template <class Call>
void run(const Arguments& arguments, const Decomposition& on)
{
    Memory memory(arguments.count, on.world);
    const Call call = make(static_cast<Call*>(nullptr), memory, arguments.root);
    const auto* algorithm = Registry<Call>::find(arguments.algorithm);
    if (!algorithm ||
        Registry<Call>::eligible(algorithm, facts_of(call, on.world), on) != algorithm)
        throw Error(MPI_ERR_ARG);
    start();
    algorithm->run(call, on, algorithm->presets);
    const auto by_rank = gathered(stop(), on.world);

    const Components mine = components();
    std::vector<Components> all(static_cast<std::size_t>(on.world.size()));
    check(PMPI_Gather(&mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, 0, on.world.handle()));
    if (on.world.rank() > 0) return;
    std::vector<int> node_of;
    for (int rank = 0; rank < on.world.size(); ++rank) node_of.push_back(on.locate(rank).node);
    print(algorithm->about, on, in_steps(by_rank, node_of), all);
}

void run(const Arguments& arguments)
{
    State& state = State::of(MPI_COMM_WORLD);
    state.settled(true);
    const Decomposition* on = state.decomposition();
    if (!on) throw Error(MPI_ERR_OTHER);
    [&]<class... Call>(std::tuple<Call...>*) {
        ((arguments.collective == Call::name ? run<Call>(arguments, *on) : void()), ...);
    }(static_cast<Calls*>(nullptr));
}

}  // namespace
}  // namespace laneway::trace

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fputs(laneway::trace::usage, stderr);
        return EXIT_FAILURE;
    }
    laneway::trace::register_components();
    MPI_Init(&argc, &argv);
    for (int i = 3; i < argc; ++i) {
        const std::string_view name = argv[i];
        const std::size_t slash = std::min(name.find('/'), name.size());
        try {
            laneway::trace::run({std::atoi(argv[1]), std::atoi(argv[2]), name.substr(0, slash),
                                 name.substr(std::min(slash + 1, name.size()))});
        } catch (const laneway::Error&) {
            std::fprintf(stderr, "%s is not eligible here\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
