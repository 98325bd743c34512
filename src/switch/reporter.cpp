// SPDX-License-Identifier: BSD-3-Clause
#include "switch/reporter.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace laneway::lanes {
namespace {

constexpr std::string_view name = "laneway-switch";

void check(int result)
{
    if (result < 0) throw std::system_error(errno, std::generic_category(), "socket for status");
}

}  // namespace

Reporter::Reporter() : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
{
    check(socket_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name, address.sun_path + 1);  // A name that begins with 0 is no file.
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    check(bind(socket_, reinterpret_cast<const sockaddr*>(&address), length));
    check(listen(socket_, SOMAXCONN));
}

Reporter::~Reporter() { close(socket_); }

void Reporter::answer(std::string_view text) const
{
    const int asking = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (asking < 0) return;
    // A text of a few thousand bytes fits into the socket's memory: whoever asks can't hold us up.
    [[maybe_unused]] const auto sent = send(asking, text.data(), text.size(), MSG_NOSIGNAL);
    close(asking);
}

}  // namespace laneway::lanes
