// MPI-5.0 sections 15.3.8 and 15.3.9: categories, and events, of which there are none.
#include <algorithm>

#include "api/body.gen.h"
#include "tool/tool.h"

namespace tutti::mpi {
namespace {

using namespace tool;

// What a category holds: all control variables or none, the performance variables whose names begin so, and categories.
struct Category {
  std::string_view name, description;
  bool knobs = false;
  std::string_view prefix = "";
  int first_child = 0, children = 0;
};
constexpr Category kCategories[] = {
    {"tutti", "all that tutti tells and may be told", false, "", 1, 4},
    {"tutti_knobs", "variables TUTTI_* of the environment", true},
    {"tutti_p2p", "messages", false, "tutti_p2p_"},
    {"tutti_wait", "waiting", false, "tutti_wait_"},
    {"tutti_coll", "collective operations and their algorithms", false, "tutti_coll_"},
};

Result<const Category*> category(int index) {
  TRY(the_tool());
  TRY(in_table(index, std::size(kCategories), "cat_index"));
  return &kCategories[index];
}

std::vector<int> pvars_of(const Category& c) {
  std::vector<int> found;
  if (c.prefix.empty()) return found;
  const auto& all = process.tool->pvars;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].name.starts_with(c.prefix)) found.push_back(int(i));
  return found;
}

int knobs_of(const Category& c) { return c.knobs ? int(std::size(kKnobs)) : 0; }

Err no_event() {
  TRY(the_tool());
  return FAIL(kErrTInvalidIndex, "there are no event types");
}
Err no_event_handle() {
  TRY(the_tool());
  return FAIL(kErrTInvalidHandle, "there are no event types, so nothing of theirs");
}

}  // namespace

Err t_category_get_num(int* num_cat) {
  TRY(the_tool());
  *num_cat = int(std::size(kCategories));
  return {};
}

Err t_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                        int* num_pvars, int* num_categories) {
  const Category& c = *TRY(category(cat_index));
  give(c.name, name, name_len);
  give(c.description, desc, desc_len);
  give(knobs_of(c), num_cvars);
  give(int(pvars_of(c).size()), num_pvars);
  give(c.children, num_categories);
  return {};
}

Err t_category_get_num_events(int cat_index, int* num_events) {
  TRY(category(cat_index));
  *num_events = 0;
  return {};
}

Err t_category_get_index(std::string_view name, int* cat_index) {
  TRY(the_tool());
  const auto* at = std::ranges::find(kCategories, name, &Category::name);
  if (at == std::end(kCategories)) return FAIL(kErrTInvalidName, "name is \"%.*s\", which is no category", int(name.size()), name.data());
  *cat_index = int(at - kCategories);
  return {};
}

Err t_category_get_cvars(int cat_index, int len, int* indices) {
  const Category& c = *TRY(category(cat_index));
  for (int i = 0; i < std::min(len, knobs_of(c)); ++i) indices[i] = i;
  return {};
}

Err t_category_get_pvars(int cat_index, int len, int* indices) {
  const auto found = pvars_of(*TRY(category(cat_index)));
  for (int i = 0; i < std::min(len, int(found.size())); ++i) indices[i] = found[std::size_t(i)];
  return {};
}

Err t_category_get_events(int cat_index, int, int*) {
  TRY(category(cat_index));
  return {};
}

Err t_category_get_categories(int cat_index, int len, int* indices) {
  const Category& c = *TRY(category(cat_index));
  for (int i = 0; i < std::min(len, c.children); ++i) indices[i] = c.first_child + i;
  return {};
}

Err t_category_changed(int* update_number) {
  TRY(the_tool());
  *update_number = 0;
  return {};
}

Err t_event_get_num(int* num_events) {
  TRY(the_tool());
  *num_events = 0;
  return {};
}

Err t_event_get_index(std::string_view name, int*) {
  TRY(the_tool());
  return FAIL(kErrTInvalidName, "name is \"%.*s\", but there are no event types", int(name.size()), name.data());
}

Err t_event_get_info(int, char*, int*, int*, void*, Count*, int*, void**, Ref<Info>&, char*, int*, int*) {
  return no_event();
}
Err t_event_handle_alloc(int, void*, Info*, void**) { return no_event(); }
Err t_event_handle_set_info(void*, Info*) { return no_event_handle(); }
Err t_event_handle_get_info(void*, Ref<Info>&) { return no_event_handle(); }
Err t_event_handle_free(void*, void*, const Callback&) { return no_event_handle(); }
Err t_event_register_callback(void*, int, Info*, void*, const Callback&) { return no_event_handle(); }
Err t_event_callback_set_info(void*, int, Info*) { return no_event_handle(); }
Err t_event_callback_get_info(void*, int, Ref<Info>&) { return no_event_handle(); }
Err t_event_set_dropped_handler(void*, const Callback&) { return no_event_handle(); }
Err t_event_read(void*, int, void*) { return no_event_handle(); }
Err t_event_copy(void*, void*) { return no_event_handle(); }
Err t_event_get_timestamp(void*, Count*) { return no_event_handle(); }
Err t_event_get_source(void*, int*) { return no_event_handle(); }

Err t_source_get_num(int* num_sources) {
  TRY(the_tool());
  *num_sources = 0;
  return {};
}
Err t_source_get_info(int, char*, int*, char*, int*, int*, Count*, Count*, Ref<Info>&) { return no_event(); }
Err t_source_get_timestamp(int, Count*) { return no_event(); }

}  // namespace tutti::mpi
