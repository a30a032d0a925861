// A folder that plays sysfs for the tests of machine/, gone with the object.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

class Sysfs {
 public:
  Sysfs() {
    std::string name = std::filesystem::temp_directory_path() / "sysfs-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~Sysfs() { std::filesystem::remove_all(root_); }
  Sysfs(const Sysfs&) = delete;
  Sysfs& operator=(const Sysfs&) = delete;

  std::string root() const { return root_; }
  void folder(const std::string& path) const { std::filesystem::create_directories(root_ / path); }
  void write(const std::string& path, const std::string& text) const {
    folder(std::filesystem::path(path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  // The folder `target` under a second name.
  void link(const std::string& target, const std::string& path) const {
    folder(target);
    folder(std::filesystem::path(path).parent_path());
    std::filesystem::create_directory_symlink(root_ / target, root_ / path);
  }

 private:
  std::filesystem::path root_;
};
