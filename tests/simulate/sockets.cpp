// SPDX-License-Identifier: BSD-3-Clause
// The socket of a process, from what the kernel says of processors.
#include "cases/case.hpp"
#include "machine/processors.hpp"
#include "simulate/folder.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register of_processors("sockets are told by the processors that share them", [] {
    const Folder two({{"present", "0-7"},
                      {"cpu0/topology/core_siblings_list", "0-1,4-5"},
                      {"cpu2/topology/core_siblings_list", "2-3,7"}});  // 6 is offline
    const std::vector<int> sockets{0, 0, 2, 2, 0, 0, -1, 2};
    TRUE(sockets_of_processors(two.name()) == sockets);

    TRUE(common_socket(sockets, {0, 1, 4, 5}) == 0);
    TRUE(common_socket(sockets, {7}) == 2);
    TRUE(common_socket(sockets, {1, 2}) == std::nullopt);
    TRUE(common_socket(sockets, {6}) == std::nullopt);
    TRUE(common_socket(sockets, {7, 8}) == std::nullopt);
    TRUE(common_socket(sockets, {}) == std::nullopt);
});

const Register unreadable("without the kernel's word there are no sockets", [] {
    TRUE(sockets_of_processors("/no/such/folder").empty());
    const Folder damaged(
        {{"present", "0-1"}, {"cpu0/topology/core_siblings_list", "none of your business"}});
    TRUE(sockets_of_processors(damaged.name()).empty());
});

}  // namespace
}  // namespace laneway::simulate
