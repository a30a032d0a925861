// Hosts written to files and read back.
#include "test/unit/catch.h"

#include <cstdio>
#include <fstream>

#include "launcher/tutti/host_file.h"
#include "test/unit/machine_made_up.h"

using namespace tutti;
using namespace tutti::launcher;
using machine::Host;

namespace {

// Two packages with everything a file can hold.
HostFile rich_host() {
  HostFile file;
  file.topo = machine::Topo::synthetic("package:2 numa:1 l3:2 core:2 pu:2").take();
  Host& host = file.host;
  host = file.topo->host();
  host.usable_cpus = 5;
  host.interfaces = {{"eth0", true, 25000, 0, "", ""}, {"ib0", true, 200000, 1, "mlx5_0:1", ""}, {"lo", true, 0, -1, "", "loopback"}};
  host.gpus = {{"0000:41:00.0", "NVIDIA H200", 0, {"pci0000:40", "0000:40:01.0", "0000:41:00.0"}},
               {"0000:81:00.0", "NVIDIA H200", 1, {"pci0000:80", "0000:80:01.0", "0000:81:00.0"}}};
  host.nvlinks = {{0, 1, 450000}};
  return file;
}

Result<HostFile> read_text(const std::string& text) {
  const MadeUp folder;
  std::ofstream(folder.root() + "/file") << text;
  Result<HostFile> read = read_host(folder.root() + "/file");
  if (read) return read;
  return FAIL(kErrArg, "%s", read.err().text().substr(folder.root().size() + sizeof "/file: " - 1).c_str());
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_json(rich_host().host);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a host read back from JSON is the one that was written") {
  Host host = rich_host().host;
  host.name = "n\"7";
  host.pus[3].ours = false;
  host.packages[1] = "EPYC \xc3\xa9";
  const std::string text = to_json(host);
  auto back = read_text(text);
  REQUIRE(back);
  const HostFile file = back.take();
  CHECK(to_json(file.host) == text);
  CHECK(tree(file.host) == tree(host));
  CHECK_FALSE(file.topo.has_value());
}

TEST_CASE("a host read back from XML is the one that was written, with what hwloc does not know") {
  const HostFile host = rich_host();
  auto back = read_text(to_xml(host).take());
  REQUIRE(back);
  const HostFile file = back.take();
  CHECK(to_json(file.host) == to_json(host.host));
  CHECK(to_json(read_text(to_xml(file).take()).take().host) == to_json(host.host));
}

TEST_CASE("CPUs that are not ours are not so either after XML") {
  HostFile host = rich_host();
  std::string xml = to_xml(host).take();
  const std::string all = "allowed_cpuset=\"0x0000ffff\"";
  const std::size_t at = xml.find(all);
  REQUIRE(at != std::string::npos);
  const HostFile file = read_text(xml.replace(at, all.size(), "allowed_cpuset=\"0x0000000f\"")).take();
  CHECK(file.topo->pus().size() == 4);
  CHECK(file.host.pus.size() == 16);
  CHECK(file.host.pus[3].ours);
  CHECK_FALSE(file.host.pus[4].ours);
}

TEST_CASE("this host survives a file of either kind") {
  const HostFile host = read_this_host("").take();
  CHECK(to_json(read_text(to_json(host.host)).take().host) == to_json(host.host));
  CHECK(to_json(read_text(to_xml(host).take()).take().host) == to_json(host.host));
}

TEST_CASE("JSON does not become XML") {
  const HostFile file = read_text(to_json(rich_host().host)).take();
  CHECK(to_xml(file).err().text() == "XML is made from this host or from XML, since JSON does not hold all of it");
}

TEST_CASE("a file that is wrong says where") {
  const auto says = [](const std::string& text) { return read_text(text).err().text(); };
  CHECK(says("") == "neither hwloc's XML nor tutti's JSON");
  CHECK(says("hello") == "neither hwloc's XML nor tutti's JSON");
  CHECK(says("<topology>").find("not hwloc's XML, or of a newer hwloc than this ") == 0);
  CHECK(says("{").find("not JSON: ") == 0);
  CHECK(says("{}") == "JSON, but not of tutti topo: it has no \"tutti_topo\"");
  CHECK(says(changed("\"tutti_topo\": 1", "\"tutti_topo\": 2")) == "\"tutti_topo\" is 2, but this tutti reads form 1");
  CHECK(says(changed("\"usable_cpus\": 5,", "")) == "usable_cpus is missing; it should be a whole number from 0");
  CHECK(says(changed("\"numa\":1", "\"numa\":2")) == "cpus[8].numa is 2; it should be a whole number in 0..1");
  CHECK(says(changed("\"l3\":3", "\"l3\":4")) == "cpus[12].l3 is 4; it should be a whole number in 0..3");
  CHECK(says(changed("\"os\":1,\"core\"", "\"os\":-1,\"core\"")) == "cpus[1].os is -1; it should be a whole number from 0");
  CHECK(says(changed("\"ours\":true", "\"ours\":1")) == "cpus[0].ours is 1; it should be true or false");
  CHECK(says(changed("\"speed_mbps\":25000", "\"speed_mbps\":\"fast\"")) ==
        "interfaces[0].speed_mbps is \"fast\"; it should be a whole number from 0");
  CHECK(says(changed("[\"pci0000:40\",", "[7,")) ==
        "gpus[0].path is [7,\"0000:40:01.0\",\"0000:41:00.0\"]; it should be a list of texts");
  CHECK(says(changed("{\"a\":0", "{\"a\":2")) == "nvlinks[0].a is 2; it should be a whole number in 0..1");
  CHECK(says(changed("\"interfaces\": [", "\"interfaces\": [5,")) == "interfaces[0] should be an object");
}

TEST_CASE("a file that cannot be read says why") {
  CHECK(read_host("/nonexistent").err().text() == "/nonexistent: No such file or directory");
  CHECK(read_host("/").err().text() == "/: Is a directory");
}
