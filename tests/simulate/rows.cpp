// SPDX-License-Identifier: BSD-3-Clause
// How often a process asks for lengths of blocks, and which lengths are kept from call to call.
#include "algorithms/families/block_exchange.hpp"
#include "call/communicator/kept_lengths.hpp"
#include "cases/case.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

constexpr std::int64_t block = 8;

/// Equal blocks, whose lengths are counted as they are asked for.
class Asked final : public BlockMatrix {
public:
    explicit Asked(const Decomposition& on) : BlockMatrix(on) {}
    std::int64_t for_first(int processes, int, int) const override
    {
        ++times;
        return processes * block;
    }
    Buffer sent(int target) const override { return place(0, target); }
    Buffer received(int origin) const override { return place(1, origin); }

    mutable int times = 0;

private:
    static Buffer place(std::size_t base, int rank)
    {
        return Buffer{symbolic::address(base), block, MPI_BYTE, 1}.slice(rank * block, block);
    }
};

/// The number of times that a process in the middle asks, at most by one of the ways to exchange rows.
int asked(int nodes, int processes)
{
    const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(nodes), processes), 2);
    int most = 0;
    const auto count = [&](const auto& exchange) {
        const Parts parts(layout, layout->ranks() / 2 + 1);
        const Decomposition on(parts);
        const Asked blocks(on);
        Recorder recorder(on.world, 2, on.tags());
        exchange(blocks, on);
        most = std::max(most, blocks.times);
    };
    for (const RowSizes sizes : {RowSizes{0}, RowSizes{1 << 20}, RowSizes{0, 1}})
        count([&](const Asked& blocks, const Decomposition& on) {
            exchange_blocks(blocks, sizes, on);
        });
    return most;
}

const Register of_processes(
    "a process asks for lengths in proportion to the processes, however many a node has", [] {
        constexpr int ranks = 256, each = 24;
        for (const int processes : {2, 4, 16, 32, 64})
            TRUE(asked(ranks / processes, processes) <= each * ranks);
    });

const Register seldom(
    "where lengths differ in each call, processes ask for the last ones in fewer and fewer calls",
    [] {
        KeptLengths kept;
        TRUE(!kept.are_asked_for());
        kept.keep();
        int asked = 0;
        for (int call = 0; call < 1000; ++call)
            if (kept.are_asked_for()) {
                ++asked;
                kept.answer(false);
            }
        TRUE(asked >= 10 && asked <= 25);
        while (!kept.are_asked_for()) {
        }
        kept.answer(true);
        TRUE(kept.are_asked_for());
    });

const Register latest("lengths are kept by collective, circle and root, for so many roots", [] {
    AllKeptLengths all;
    const auto of = [&](int root) -> KeptLengths& {
        return all.of(collective_of<Gatherv>, Circle{Told::node}, root);
    };
    of(0).own = {1};
    of(1).own = {2};
    EQUAL(of(0).own.front(), 1);
    EQUAL(of(1).own.front(), 2);
    TRUE(all.of(collective_of<Gatherv>, Circle{Told::everyone}, 0).own.empty());
    TRUE(all.of(collective_of<Scatterv>, Circle{Told::node}, 0).own.empty());
    for (int root = 2; root < 20; ++root) of(root).own = {root};
    TRUE(of(0).own.empty());
    EQUAL(of(19).own.front(), 19);
});

}  // namespace
}  // namespace laneway::simulate
