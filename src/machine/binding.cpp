// SPDX-License-Identifier: BSD-3-Clause
#include "machine/binding.hpp"

#include <array>

#include "machine/variable.hpp"

namespace laneway {
namespace {

constexpr std::array<std::string_view, 4> names{"unknown", "lane", "all", "one"};

/// Variables that restrict a process to the devices that they list: of Open MPI, UCX, libfabric, PSM2 and PSM3.
constexpr std::array restricting{
    "OMPI_MCA_btl_tcp_if_include",
    "OMPI_MCA_btl_openib_if_include",
    "UCX_NET_DEVICES",
    "FI_TCP_IFACE",
    "FI_SOCKETS_IFACE",
    "FI_UDP_IFACE",
    "FI_VERBS_IFACE",
    "FI_VERBS_DEVICE_NAME",
    "FI_OPX_HFI_SELECT",
    "HFI_UNIT",
    "PSM2_MULTIRAIL_MAP",
    "PSM3_NIC",
    "PSM3_MULTIRAIL_MAP",
};

}  // namespace

std::string_view name_of_binding(Binding binding)
{
    return names[static_cast<std::size_t>(binding)];
}

std::optional<Binding> binding_named(std::string_view name)
{
    for (const Binding known : {Binding::lane, Binding::all, Binding::one})
        if (name == name_of_binding(known)) return known;
    return std::nullopt;
}

OwnDevices own_devices()
{
    OwnDevices found;
    for (const char* const name : restricting) {
        const std::string value = variable(name);
        if (value.empty() || value == "all" || value == "any") continue;
        found.names += (found.names.empty() ? "" : " ") + (name + ("=" + value));
        // A network such as 10.1.0.0/16 may be that of several devices.
        found.several = found.several || value.find_first_of(",/") != value.npos;
    }
    return found;
}

Binding binding_of(const OwnDevices& own, bool same, int lanes)
{
    if (!same) return Binding::lane;
    if (own.names.empty()) return lanes > 1 ? Binding::all : Binding::unknown;
    return own.several ? Binding::all : Binding::one;
}

}  // namespace laneway
