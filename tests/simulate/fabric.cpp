// SPDX-License-Identifier: BSD-3-Clause
// The network lanes of a machine, from what the kernel says of its devices.
#include "choose/fabric.hpp"

#include "cases/case.hpp"
#include "simulate/folder.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const std::string up = "4: ACTIVE";
const std::string fast = "200 Gb/sec (4X HDR)";

const Register of_ports("lanes are ports of devices that are up, of those with the highest rate",
                        [] {
                            const Folder machine({{"mlx5_0/ports/1/state", up},
                                                  {"mlx5_0/ports/1/rate", fast},
                                                  {"mlx5_1/ports/1/state", up},
                                                  {"mlx5_1/ports/1/rate", fast},
                                                  {"mlx5_1/ports/2/state", "1: DOWN"},
                                                  {"mlx5_1/ports/2/rate", fast},
                                                  {"mlx5_3/ports/1/state", up},
                                                  {"mlx5_3/ports/1/rate", fast},
                                                  {"mlx5_3/device/physfn/vendor", "0x15b3"},
                                                  {"mlx5_2/ports/1/state", up},
                                                  {"mlx5_2/ports/1/rate", "25 Gb/sec (1X EDR)"}});
                            TRUE(lanes_of_fabric(machine.name()) == 2);
                        });

const Register of_nothing("without a fabric, or its word, no lanes are known", [] {
    TRUE(lanes_of_fabric("/no/such/folder") == 0);
    const Folder damaged({{"mlx5_0/ports/1/state", up},
                          {"mlx5_0/ports/1/rate", "none of your business"},
                          {"mlx5_1/ports/1/rate", fast}});
    TRUE(lanes_of_fabric(damaged.name()) == 0);
});

}  // namespace
}  // namespace laneway::simulate
