// SPDX-License-Identifier: BSD-3-Clause
#include "bench/probes/probe.hpp"

#include <algorithm>
#include <string_view>

#include "bench/text/words.hpp"

namespace laneway::bench {
namespace {

std::vector<Probe>& registered()
{
    static std::vector<Probe> all;
    return all;
}

bool by_name(const Probe& a, const Probe& b) { return std::string_view(a.name) < b.name; }

}  // namespace

const std::vector<Probe>& probes() { return registered(); }

const Probe& probe(const std::string& name)
{
    return named(registered(), &Probe::name, "unknown probe", name);
}

ProbeRegistration::ProbeRegistration(const Probe& probe)
{
    registered().insert(std::ranges::upper_bound(registered(), probe, by_name), probe);
}

}  // namespace laneway::bench
