// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "layout/order.hpp"
#include "messages/comm.hpp"

/// Barriers: a process that has heard of everyone goes on.
namespace laneway {

/// Everyone signals to `radix` - 1 processes at distances that grow by that factor.
void barrier_dissemination(int radix, const Order& order, const Comm& comm);

/// Pairs signal to each other, at twice the distance in each round; some neighbours act as one.
void barrier_doubling(const Order& order, const Comm& comm);

}  // namespace laneway
