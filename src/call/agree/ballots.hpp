// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "call/agree/ballot.h"
#include "choose/settings.hpp"
#include "machine/binding.hpp"

namespace laneway {

/// The ballot of a process with its `own` settings, which waits for the outcome at once or not.
LanewayBallot ballot_of(const Settings& own, bool waits);

/// The binding of a job by the ballots of `all` processes, on nodes of so many lanes.
Binding binding_by(const LanewayBallot& all, int lanes);

}  // namespace laneway
