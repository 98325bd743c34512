// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <string_view>

namespace laneway {
namespace {

std::atomic<std::size_t> mapped{0};

/// The name of the file, so that its link in /proc says whether it is the one.
std::string file_name(const SharedMemory::Name& name)
{
    return "laneway-" + std::to_string(name.random[0]) + "-" + std::to_string(name.random[1]);
}

int new_file(const char* name)
{
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
#ifdef MFD_NOEXEC_SEAL
    // Some systems let no other files be made; kernels before 6.3 don't know this flag.
    if (const int file = memfd_create(name, flags | MFD_NOEXEC_SEAL); file >= 0) return file;
#endif
    return memfd_create(name, flags);
}

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// Whether a link in /proc leads to the file of that name.
bool leads_to(const std::string& link, const SharedMemory::Name& name)
{
    std::array<char, 128> target{};  // more than such a name has; threads may have little stack
    const ssize_t length = readlink(link.c_str(), target.data(), target.size());
    return length >= 0 && std::string_view(target.data(), static_cast<std::size_t>(length)) ==
                              "/memfd:" + file_name(name) + " (deleted)";
}

/// Whether a file that has been opened is the one. It may be another file than was seen: the number is its process's,
/// which may close it and open others.
bool is_the_one(int file, const SharedMemory::Name& name)
{
    struct stat status{};
    return leads_to("/proc/self/fd/" + std::to_string(file), name) && fstat(file, &status) == 0 &&
           status.st_uid == geteuid() && std::cmp_equal(status.st_size, name.bytes) &&
           fcntl(file, F_GET_SEALS) == seals;
}

/// Whether a file may be so large. Larger files than a process may make end it by a signal.
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
        fcntl(made.descriptor_, F_ADD_SEALS, seals) != 0 || !made.map())
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
    if (!leads_to(path, name)) return {};
    SharedMemory opened;
    opened.bytes_ = name.bytes;
    opened.name_ = name;
    opened.descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (opened.descriptor_ < 0 || !is_the_one(opened.descriptor_, name) || !opened.map()) return {};
    opened.close();
    return opened;
}

}  // namespace laneway
