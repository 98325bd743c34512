// SPDX-License-Identifier: BSD-3-Clause
#include "machine/device.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <string_view>

namespace laneway {
namespace {

/// The runtimes of CUDA, ROCm, Level Zero.
constexpr std::string_view runtimes[] = {"libcudart", "libamdhip64", "libze_loader"};

/// "libcudart.so.12", or with what wheels put into names of libraries, "libcudart-d0da41ae.so.11.0".
int is_runtime(dl_phdr_info* object, std::size_t, void*)
{
    std::string_view name(object->dlpi_name);
    name.remove_prefix(std::min(name.rfind('/') + 1, name.size()));
    return std::ranges::any_of(runtimes, [&](std::string_view runtime) {
        return name.starts_with(runtime) && name.size() > runtime.size() &&
               (name[runtime.size()] == '.' || name[runtime.size()] == '-');
    });
}

/// Whether a device is in use by CUDA's driver, which is loaded. Programs have the runtime linked in statically,
/// as nvcc does unless told otherwise, or none. MPI libraries, too, load the driver to look for
/// devices, so a loaded driver alone says nothing.
bool uses_cuda_driver(void* driver)
{
    const auto ask = [&]<class... Argument>(const char* name, Argument... arguments) {
        auto* function = reinterpret_cast<int (*)(Argument...)>(dlsym(driver, name));
        return function && function(arguments...) == 0;
    };
    void* context = nullptr;
    int devices = 0;
    // First the context of this thread, then those that runtimes share among all threads.
    bool uses = ask("cuCtxGetCurrent", &context) && context;
    if (!ask("cuDeviceGetCount", &devices)) devices = 0;
    for (int device = 0; device < devices && !uses; ++device) {
        unsigned flags = 0;
        int active = 0;
        uses = ask("cuDevicePrimaryCtxGetState", device, &flags, &active) && active;
    }
    return uses;
}

/// CUDA's driver; null: it isn't loaded. It stays loaded from now on.
void* cuda_driver()
{
    static std::atomic<void*> known{nullptr};
    if (!known) known = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return known;
}

/// A number that changes whenever something has been loaded.
unsigned long long loads()
{
    unsigned long long all = 0;
    const auto first = [](dl_phdr_info* object, std::size_t, void* found) {
        *static_cast<unsigned long long*>(found) = object->dlpi_adds;
        return 1;
    };
    dl_iterate_phdr(first, &all);
    return all;
}

}  // namespace

bool uses_devices()
{
    void* const driver = cuda_driver();
    return dl_iterate_phdr(is_runtime, nullptr) != 0 || (driver && uses_cuda_driver(driver));
}

bool uses_devices_by_now()
{
    static std::atomic<bool> uses{false}, has_driver{false};
    static std::atomic<unsigned long long> looked_at{0};
    if (uses.load(std::memory_order_relaxed)) return true;
    const unsigned long long now = loads();
    if (now != looked_at.load(std::memory_order_relaxed)) {
        if (uses_devices()) uses = true;
        has_driver = cuda_driver() != nullptr;
        looked_at = now;  // once the rest is known, to other threads, too
    } else if (has_driver.load(std::memory_order_relaxed) && uses_cuda_driver(cuda_driver())) {
        uses = true;  // Its contexts come and go without anything being loaded.
    }
    return uses;
}

}  // namespace laneway
