// SPDX-License-Identifier: BSD-3-Clause
#include "core/device.hpp"

#include <link.h>

#include <algorithm>
#include <string_view>

namespace laneway {
namespace {

/// CUDA, ROCm, Level Zero. Not the drivers underneath, which MPI libraries load themselves to look
/// for devices.
constexpr std::string_view runtimes[] = {"libcudart.so", "libamdhip64.so", "libze_loader.so"};

int is_runtime(dl_phdr_info* object, std::size_t, void*)
{
    std::string_view name(object->dlpi_name);
    name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
    return std::ranges::any_of(runtimes, [&](auto runtime) { return name.starts_with(runtime); });
}

}  // namespace

bool has_device_runtime() { return dl_iterate_phdr(is_runtime, nullptr) != 0; }

}  // namespace laneway
