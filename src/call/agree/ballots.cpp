// SPDX-License-Identifier: BSD-3-Clause
#include "call/agree/ballots.hpp"

#include <cstdint>

#include "library/threads.hpp"
#include "text/hash.hpp"

namespace laneway {

LanewayBallot ballot_of(const Settings& own, bool waits)
{
    const std::uint64_t digest = hash(own.text());
    const OwnDevices restricted = own_devices();
    const std::uint64_t devices = restricted.names.empty() ? 0 : hash(restricted.names);
    // All processes see collectives in one order, unless several threads may make them at once.
    const unsigned order = may_call_in_threads() ? 0 : LANEWAY_IN_ONE_ORDER;
    return {digest, ~digest, devices, ~devices,
            LANEWAY_HAS_CORE | (waits ? LANEWAY_WAITS : 0) | order |
                (restricted.several ? LANEWAY_HAS_SEVERAL_DEVICES : 0)};
}

Binding binding_by(const LanewayBallot& all, int lanes)
{
    const bool same = all.devices == ~all.devices_complement;
    const bool several = (all.flags & LANEWAY_HAS_SEVERAL_DEVICES) != 0;
    return binding_of({all.devices == 0 ? "" : "the same", several}, same, lanes);
}

}  // namespace laneway
