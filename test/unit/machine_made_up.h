// A folder that plays / for the tests of machine/, gone with the object.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

class MadeUp {
 public:
  MadeUp() {
    std::string name = std::filesystem::temp_directory_path() / "made-up-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~MadeUp() { std::filesystem::remove_all(root_); }
  MadeUp(const MadeUp&) = delete;
  MadeUp& operator=(const MadeUp&) = delete;

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
