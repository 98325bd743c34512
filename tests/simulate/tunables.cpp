// SPDX-License-Identifier: BSD-3-Clause
// The values of tunables.
#include "collectives/tunables.hpp"

#include <stdexcept>

#include "cases/case.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register declared_tunables(
    "a tunable that an algorithm does not declare is neither read nor set", [] {
        Tunables tunables({segment_tunable});
        tunables.set("segment", 128);
        EQUAL(tunables["segment"], 128);
        const auto is_refused = [](const auto& use) {
            try {
                use();
            } catch (const std::out_of_range&) {
                return true;
            }
            return false;
        };
        TRUE(is_refused([&] { static_cast<void>(tunables["segments"]); }));
        TRUE(is_refused([&] { tunables.set("segments", 64); }));
        EQUAL(tunables.all().size(), 1u);
    });

}  // namespace
}  // namespace laneway::simulate
