// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <string>
#include <string_view>

namespace laneway {
namespace {

std::atomic<std::size_t> mapped{0};

/// Of the file, so that its name in /proc says whether it is the one.
std::string file_name(const SharedMemory::Name& name)
{
    return "laneway-" + std::to_string(name.random[0]) + "-" + std::to_string(name.random[1]);
}

int new_file(const char* name)
{
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
#ifdef MFD_NOEXEC_SEAL
    // Where the system lets no others be made; kernels before 6.3 don't know it.
    if (const int file = memfd_create(name, flags | MFD_NOEXEC_SEAL); file >= 0) return file;
#endif
    return memfd_create(name, flags);
}

/// Larger files than a process may make end it by a signal.
bool may_grow_to(std::size_t bytes)
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

}  // namespace

SharedMemory::~SharedMemory()
{
    if (start_) {
        munmap(start_, bytes_);
        mapped -= bytes_;
    }
    close();
}

void SharedMemory::close()
{
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool SharedMemory::map()
{
    void* const start = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (start == MAP_FAILED) return false;
    start_ = start;
    mapped += bytes_;
    return true;
}

std::size_t SharedMemory::held() { return mapped; }

SharedMemory SharedMemory::create(std::size_t bytes)
{
    SharedMemory made;
    Name& name = made.name_;
    const auto wanted = static_cast<ssize_t>(sizeof name.random);
    if (getrandom(name.random.data(), sizeof name.random, GRND_NONBLOCK) != wanted ||
        !may_grow_to(bytes))
        return {};
    made.bytes_ = bytes;
    made.descriptor_ = new_file(file_name(name).c_str());
    if (made.descriptor_ < 0 || fchmod(made.descriptor_, S_IRUSR | S_IWUSR) != 0 ||
        ftruncate(made.descriptor_, static_cast<off_t>(bytes)) != 0 ||
        fcntl(made.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        !made.map())
        return {};
    name.process = getpid();
    name.descriptor = made.descriptor_;
    name.bytes = bytes;
    return made;
}

SharedMemory SharedMemory::open(const Name& name)
{
    const std::string path =
        "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
    // The number may be another process's here: nothing is opened that is not the one.
    std::array<char, PATH_MAX> target{};
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    if (length < 0 || std::string_view(target.data(), static_cast<std::size_t>(length)) !=
                          "/memfd:" + file_name(name) + " (deleted)")
        return {};
    SharedMemory opened;
    opened.bytes_ = name.bytes;
    opened.name_ = name;
    opened.descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (opened.descriptor_ < 0 || !opened.map()) return {};
    opened.close();
    return opened;
}

}  // namespace laneway
