// SPDX-License-Identifier: BSD-3-Clause
#include "types.hpp"

#include <cstdio>

#include "carriers/use.hpp"
#include "data/buffer.hpp"
#include "elements.hpp"
#include "library/error.hpp"

namespace laneway::in_process {
namespace {

using Memory = std::vector<unsigned char>;

/// Elements of any type that is made here lie so many bytes around their address.
constexpr std::size_t around = 4096;

bool is_packed_alike(MPI_Datatype type, int count)
{
    Footprints footprints;
    const Footprint &footprint = footprints.of(type), &byte = footprints.of(MPI_BYTE);
    const std::int64_t bytes = count * size_of(type);
    Memory memory(2 * around);
    for (std::size_t at = 0; at < memory.size(); ++at)
        memory[at] = static_cast<unsigned char>((at * 2654435761U) >> 8U);

    Memory packed(static_cast<std::size_t>(bytes)), transferred(packed);
    int position = 0;
    check(PMPI_Pack(memory.data() + around, count, type, packed.data(), static_cast<int>(bytes),
                    &position, MPI_COMM_SELF));
    transfer(memory.data() + around, count, footprint, transferred.data(), bytes, byte);
    if (packed != transferred) return false;

    Memory unpacked(2 * around), written(2 * around);
    position = 0;
    check(PMPI_Unpack(packed.data(), static_cast<int>(bytes), &position, unpacked.data() + around,
                      count, type, MPI_COMM_SELF));
    transfer(packed.data(), bytes, byte, written.data() + around, count, footprint);
    if (unpacked != written) return false;

    // A byte is used if, and only if, it was written to; data have no zeros here where it matters.
    const auto start = reinterpret_cast<std::intptr_t>(written.data());
    const Use use{start + static_cast<std::intptr_t>(around), count, &footprint, true};
    const Memory ones(static_cast<std::size_t>(bytes), 1);
    Memory touched(2 * around);
    transfer(ones.data(), bytes, byte, touched.data() + around, count, footprint);
    for (std::size_t at = 0; at < touched.size(); ++at) {
        const Use one{start + static_cast<std::intptr_t>(at), 1, &byte, false};
        if (use.overlaps(one) != (touched[at] == 1) || one.overlaps(use) != (touched[at] == 1))
            return false;
    }
    return true;
}

}  // namespace

bool types_are_as_mpi_packs_them()
{
    bool alike = true;
    int checked = 0;
    const auto expect = [&](const char* kind, const char* made, MPI_Datatype type) {
        for (const int count : {1, 2, 5}) {
            ++checked;
            if (is_packed_alike(type, count)) continue;
            alike = false;
            std::printf("FAILED %d of %s of %s\n", count, made, kind);
        }
    };
    for (const Elements& kind : kinds()) {
        expect(kind.name, "an element", kind.type);
        expect(kind.name, "contiguous", Datatype::contiguous(3, kind.type));
        expect(kind.name, "strided", Datatype::strided(3, 2, 5, kind.type, 2));
        expect(kind.name, "indexed", Datatype::indexed({2, 1, 3}, {4, 0, 7}, kind.type));
        expect(kind.name, "indexed, in order", Datatype::indexed({2, 3}, {0, 2}, kind.type));
        const Datatype displaced = Datatype::displaced(kind.type, -64);
        expect(kind.name, "displaced", displaced);
        expect(kind.name, "displaced and strided", Datatype::strided(2, 1, 3, displaced, 7));
    }
    std::printf("%d rows of elements %s as MPI packs them\n", checked, alike ? "are" : "are not");
    return alike;
}

}  // namespace laneway::in_process
