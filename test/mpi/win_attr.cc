// What a window knows of itself, what programs hang onto it, and its handle as an integer.
#include <cstring>

#include "test/mpi/check.h"

namespace {

int deleted = 0;
int remove(MPI_Win, int, void* value, void* extra) {
  CHECK(extra == &deleted && value == &deleted);
  ++deleted;
  return MPI_SUCCESS;
}

void* attr(MPI_Win win, int key) {
  void* value = nullptr;
  int flag = 0;
  CHECK(MPI_Win_get_attr(win, key, &value, &flag) == MPI_SUCCESS && flag);
  return value;
}

void check_predefined(MPI_Win win, void* base, MPI_Aint size, int unit, int flavor) {
  CHECK(attr(win, MPI_WIN_BASE) == base);
  CHECK(*static_cast<MPI_Aint*>(attr(win, MPI_WIN_SIZE)) == size);
  CHECK(*static_cast<int*>(attr(win, MPI_WIN_DISP_UNIT)) == unit);
  CHECK(*static_cast<int*>(attr(win, MPI_WIN_CREATE_FLAVOR)) == flavor);
  CHECK(*static_cast<int*>(attr(win, MPI_WIN_MODEL)) == MPI_WIN_UNIFIED);
}

void predefined() {
  double memory[10];
  void* base;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  check_predefined(win, memory, sizeof memory, sizeof(double), MPI_WIN_FLAVOR_CREATE);
  MPI_Win_free(&win);
  MPI_Win_allocate(24, 3, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  check_predefined(win, base, 24, 3, MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(24, 3, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
  check_predefined(win, base, 24, 3, MPI_WIN_FLAVOR_SHARED);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  check_predefined(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
  MPI_Win_free(&win);
}

void users() {
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  int key = MPI_KEYVAL_INVALID, other, flag = 1;
  void* value = nullptr;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove, &key, &deleted);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, nullptr);
  MPI_Win_get_attr(win, key, &value, &flag);
  CHECK(!flag);
  MPI_Win_set_attr(win, key, &deleted);
  CHECK(attr(win, key) == &deleted);
  MPI_Win_set_attr(win, other, &key);
  MPI_Win_delete_attr(win, other);
  MPI_Win_get_attr(win, other, &value, &flag);
  CHECK(!flag);
  MPI_Win_free_keyval(&key);
  MPI_Win_free_keyval(&other);
  CHECK(deleted == 0);
  MPI_Win_free(&win);
  CHECK(deleted == 1);
}

void names_and_hints() {
  MPI_Win win;
  MPI_Info info, used;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
  MPI_Info_set(info, "same_size", "true");
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  MPI_Win_get_info(win, &used);
  int length = 10, flag;
  char text[MPI_MAX_OBJECT_NAME] = "";
  MPI_Info_get_string(used, "no_locks", &length, text, &flag);
  CHECK(flag && std::strcmp(text, "true") == 0);
  length = sizeof text;
  MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &length, text, &flag);
  CHECK(flag && std::strcmp(text, "mpi,system") == 0);
  MPI_Info_free(&used);
  MPI_Win_get_name(win, text, &length);
  CHECK(length == 0 && text[0] == '\0');
  MPI_Win_set_name(win, "box");
  MPI_Win_get_name(win, text, &length);
  CHECK(length == 3 && std::strcmp(text, "box") == 0);
  MPI_Group group, world;
  MPI_Win_get_group(win, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int result;
  MPI_Group_compare(group, world, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
  CHECK(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)) == MPI_WIN_NULL);
  MPI_Win_free(&win);
  MPI_Win_get_name(MPI_WIN_NULL, text, &length);
  CHECK(std::strcmp(text, "MPI_WIN_NULL") == 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  predefined();
  users();
  names_and_hints();
  MPI_Finalize();
}
