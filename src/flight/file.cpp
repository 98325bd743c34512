// SPDX-License-Identifier: BSD-3-Clause
#include "flight/file.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace laneway::flight {

std::unique_ptr<File> File::make(std::string_view functions)
{
    if (functions.size() > bytes_of_functions) return nullptr;
    const int file = memfd_create("laneway-flight", MFD_CLOEXEC);
    if (file < 0) return nullptr;
    void* data = MAP_FAILED;
    if (fchmod(file, S_IRUSR | S_IWUSR) == 0 && ftruncate(file, bytes) == 0)
        data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) {
        close(file);
        return nullptr;
    }
    // The descriptor stays open: by it others find the file.
    std::unique_ptr<File> made(new File(static_cast<std::byte*>(data)));
    std::memcpy(made->data_ + functions_at, functions.data(), functions.size());
    Header& header = made->header();
    header.version = 1;
    header.bytes = sizeof(Header);
    header.functions = {functions_at, 1, static_cast<std::uint32_t>(functions.size())};
    header.words = {words_at, sizeof(Name), words};
    header.communicators = {communicators_at, sizeof(Communicator), communicators};
    header.threads = {threads_at, sizeof(Thread), threads};
    header.records = {records_at, sizeof(Record), records};
    header.rows = {rows_at, sizeof(std::int64_t), words_of_rows};
    header.process = getpid();
    header.rank = -1;
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(header.magic.data(), "LANEWAYF", header.magic.size());
    return made;
}

}  // namespace laneway::flight
