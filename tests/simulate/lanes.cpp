// SPDX-License-Identifier: BSD-3-Clause
// The network lanes of a machine, from what the kernel says of its devices.
#include "machine/lanes.hpp"

#include <map>
#include <string>

#include "cases/case.hpp"
#include "machine/network.hpp"
#include "simulate/folder.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;
using Files = std::map<std::string, std::string>;

const std::string up = "4: ACTIVE";
const std::string fast = "200 Gb/sec (4X HDR)";

Files operator+(Files one, const Files& other)
{
    one.insert(other.begin(), other.end());
    return one;
}

Files port(const std::string& device, const std::string& rate,
           const std::string& layer = "InfiniBand", const std::string& state = up)
{
    const std::string folder = "infiniband/" + device + "/ports/1/";
    return {{folder + "state", state}, {folder + "rate", rate}, {folder + "link_layer", layer}};
}

Files interface(const std::string& folder, const std::string& speed,
                const std::string& state = "up")
{
    return {{folder + "/speed", speed},
            {folder + "/operstate", state},
            {folder + "/type", "1"},
            {folder + "/device/vendor", "0x15b3"}};
}
Files ethernet(const std::string& name, const std::string& speed, const std::string& state = "up")
{
    return interface("net/" + name, speed, state);
}

/// Names of the lanes; `subnets` are those of Ethernet devices by which the library sends.
std::string lanes_in(const Files& files, const std::map<std::string, std::string>& subnets = {})
{
    const Folder machine(files);
    std::string names;
    for (const NetworkDevice& lane :
         lanes_among(devices_of(machine.name()), [&](const std::string& name) {
             const auto found = subnets.find(name);
             return found == subnets.end() ? "" : found->second;
         }))
        names += lane.name + " ";
    return names;
}

const Register of_ports(
    "lanes are ports of devices that are up, of those with the highest rate", [] {
        const Files down{{"infiniband/mlx5_1/ports/2/state", "1: DOWN"},
                         {"infiniband/mlx5_1/ports/2/rate", fast}};
        const Files part{{"infiniband/mlx5_3/device/physfn/vendor", "0x15b3"}};
        TRUE(lanes_in(port("mlx5_0", fast) + port("mlx5_1", fast) + down + port("mlx5_3", fast) +
                      part + port("mlx5_2", "25 Gb/sec (1X EDR)")) == "mlx5_0:1 mlx5_1:1 ");
    });

const Register of_one_network("lanes are of one network: of that which has most", [] {
    TRUE(lanes_in(port("mlx5_0", fast) + port("mlx5_1", fast) + port("mlx5_2", fast, "Ethernet")) ==
         "mlx5_0:1 mlx5_1:1 ");
});

const Register of_slingshot("Slingshot's adapters are lanes, its interfaces are not counted twice",
                            [] {
                                Files machine;
                                std::map<std::string, std::string> subnets;
                                for (const std::string n : {"0", "1", "2", "3"}) {
                                    machine =
                                        machine +
                                        interface("cxi/cxi" + n + "/device/net/hsn" + n, "200000") +
                                        ethernet("hsn" + n, "200000");
                                    subnets["hsn" + n] = "10.1." + n;
                                }
                                TRUE(lanes_in(machine, subnets) == "cxi0 cxi1 cxi2 cxi3 ");
                            });

const Register of_ethernet("Ethernet counts where the library sends by it, a device a subnet", [] {
    const Files machine = ethernet("eno1", "1000") + ethernet("eth1", "25000") +
                          ethernet("eth2", "25000") + ethernet("eth3", "25000") +
                          ethernet("eth4", "25000", "down");
    TRUE(lanes_in(machine).empty());
    TRUE(lanes_in(machine,
                  {{"eno1", "a"}, {"eth1", "b"}, {"eth2", "c"}, {"eth3", "c"}, {"eth4", "d"}}) ==
         "eth1 eth2 ");
    TRUE(lanes_in(machine, {{"eno1", "a"}, {"eth1", "b"}}) == "eth1 ");
    TRUE(lanes_in(machine + Files{{"net/eth2/master/x", ""}}, {{"eth1", "b"}, {"eth2", "c"}}) ==
         "eth1 ");  // in a bond
    TRUE(lanes_in(machine + port("mlx5_0", "10 Gb/sec"), {{"eth1", "b"}, {"eth2", "c"}}) ==
         "mlx5_0:1 ");
});

const Register of_nothing("without devices, or their word, no lanes are known", [] {
    TRUE(devices_of("/no/such/folder").empty());
    TRUE(lanes_in(port("mlx5_0", "none of your business") + port("mlx5_1", fast, "InfiniBand", ""))
             .empty());
    TRUE(lanes_in(ethernet("eth0", "-1"), {{"eth0", "a"}}).empty());  // a virtual machine's
});

const Register of_lists("devices are listed by name or subnet", [] {
    constexpr unsigned address = 10U << 24 | 1U << 16 | 2U << 8 | 3U;
    TRUE(is_listed("eth0, eth1", "eth1", address));
    TRUE(!is_listed("eth10", "eth1", address));
    TRUE(is_listed("127.0.0.1/8,10.1.0.0/16", "eth1", address));
    TRUE(!is_listed("10.2.0.0/16", "eth1", address) && is_listed("0.0.0.0/0", "eth1", address));
    TRUE(!is_listed("", "eth1", address) && !is_listed("/,10.1/x", "eth1", address));
});

const Register of_parameters("parameters are read as Open MPI writes them", [] {
    constexpr const char* text = "# pml = cm\npml=ob1 # why\n btl_tcp_if_include  =  eth1,eth2\n";
    TRUE(parameter_in(text, "btl_tcp_if_include") == "eth1,eth2");
    TRUE(parameter_in(text, "pml") == "ob1" && parameter_in(text, "btl").empty());
});

}  // namespace
}  // namespace laneway::simulate
