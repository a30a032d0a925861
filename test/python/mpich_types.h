/* mpich_abi.c's checks of datatypes: the predefined ones by name, the derived ones by what they say they are. */
static void named_type(MPI_Datatype type, const char *name, int bytes) {
  char seen[MPI_MAX_OBJECT_NAME] = "";
  int length, size_now = -1;
  CHECK(MPI_Type_get_name(type, seen, &length) == MPI_SUCCESS && MPI_Type_size(type, &size_now) == MPI_SUCCESS);
  if (strcmp(seen, name) || (bytes && size_now != bytes)) printf("%s is %s of %d bytes\n", name, seen, size_now);
  CHECK(!strcmp(seen, name) && (!bytes || size_now == bytes));
  CHECK(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
}
#define TYPE(name, bytes) named_type(name, #name, bytes)

static void types(void) {
  TYPE(MPI_CHAR, 1), TYPE(MPI_SIGNED_CHAR, 1), TYPE(MPI_UNSIGNED_CHAR, 1), TYPE(MPI_BYTE, 1), TYPE(MPI_PACKED, 1);
  TYPE(MPI_SHORT, 2), TYPE(MPI_UNSIGNED_SHORT, 2), TYPE(MPI_INT, 4), TYPE(MPI_UNSIGNED, 4), TYPE(MPI_LONG, 8);
  TYPE(MPI_UNSIGNED_LONG, 8), TYPE(MPI_LONG_LONG_INT, 8), TYPE(MPI_UNSIGNED_LONG_LONG, 8), TYPE(MPI_FLOAT, 4);
  TYPE(MPI_DOUBLE, 8), TYPE(MPI_LONG_DOUBLE, sizeof(long double)), TYPE(MPI_WCHAR, sizeof(wchar_t)), TYPE(MPI_C_BOOL, 1);
  TYPE(MPI_INT8_T, 1), TYPE(MPI_INT16_T, 2), TYPE(MPI_INT32_T, 4), TYPE(MPI_INT64_T, 8), TYPE(MPI_UINT8_T, 1);
  TYPE(MPI_UINT16_T, 2), TYPE(MPI_UINT32_T, 4), TYPE(MPI_UINT64_T, 8), TYPE(MPI_AINT, 8), TYPE(MPI_OFFSET, 8);
  TYPE(MPI_COUNT, 8), TYPE(MPI_C_FLOAT_COMPLEX, 8), TYPE(MPI_C_DOUBLE_COMPLEX, 16);
  TYPE(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double)), TYPE(MPI_CXX_BOOL, 1), TYPE(MPI_CXX_FLOAT_COMPLEX, 8);
  TYPE(MPI_CXX_DOUBLE_COMPLEX, 16), TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double));
  TYPE(MPI_2INT, 8), TYPE(MPI_FLOAT_INT, 8), TYPE(MPI_DOUBLE_INT, 12), TYPE(MPI_LONG_INT, 12), TYPE(MPI_SHORT_INT, 6);
  TYPE(MPI_LONG_DOUBLE_INT, sizeof(long double) + 4), TYPE(MPI_CHARACTER, 1), TYPE(MPI_INTEGER, 4), TYPE(MPI_REAL, 4);
  TYPE(MPI_LOGICAL, 4), TYPE(MPI_COMPLEX, 8), TYPE(MPI_DOUBLE_PRECISION, 8), TYPE(MPI_DOUBLE_COMPLEX, 16);
  TYPE(MPI_2INTEGER, 8), TYPE(MPI_2REAL, 8), TYPE(MPI_2DOUBLE_PRECISION, 16), TYPE(MPI_REAL2, 2), TYPE(MPI_REAL4, 4);
  TYPE(MPI_REAL8, 8), TYPE(MPI_REAL16, 16), TYPE(MPI_COMPLEX4, 4), TYPE(MPI_COMPLEX8, 8), TYPE(MPI_COMPLEX16, 16);
  TYPE(MPI_COMPLEX32, 32), TYPE(MPI_INTEGER1, 1), TYPE(MPI_INTEGER2, 2), TYPE(MPI_INTEGER4, 4), TYPE(MPI_INTEGER8, 8);
  TYPE(MPI_INTEGER16, 16), TYPE(MPI_LOGICAL1, 1), TYPE(MPI_LOGICAL2, 2), TYPE(MPI_LOGICAL4, 4), TYPE(MPI_LOGICAL8, 8);
  TYPE(MPI_LOGICAL16, 16), TYPE(MPIX_C_FLOAT16, 2), TYPE(MPI_LB, 0), TYPE(MPI_UB, 0);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
  CHECK(!strcmp(name, "MPI_DATATYPE_NULL"));
}

static void made_as(MPI_Datatype type, int combiner, int line) {
  int integers, addresses, datatypes, seen = -1;
  CHECK(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &seen) == MPI_SUCCESS);
  if (seen != combiner) printf("line %d: combiner %d, not %d\n", line, seen, combiner);
  CHECK(seen == combiner);
}
#define MADE(make, combiner) \
  (CHECK((make) == MPI_SUCCESS), made_as(t, combiner, __LINE__), CHECK(MPI_Type_free(&t) == MPI_SUCCESS && t == MPI_DATATYPE_NULL))

static void derived(void) {
  int two[2] = {2, 2}, one[2] = {1, 1}, zero[2] = {0, 0}, ints[32];
  MPI_Aint far[2] = {0, 16}, addresses[4];
  MPI_Datatype t, of[2] = {MPI_INT, MPI_DOUBLE}, inner[4];
  made_as(MPI_INT, MPI_COMBINER_NAMED, __LINE__);
  MADE(MPI_Type_dup(MPI_INT, &t), MPI_COMBINER_DUP);
  MADE(MPI_Type_contiguous(3, MPI_INT, &t), MPI_COMBINER_CONTIGUOUS);
  MADE(MPI_Type_vector(2, 1, 3, MPI_INT, &t), MPI_COMBINER_VECTOR);
  MADE(MPI_Type_create_hvector(2, 1, 32, MPI_INT, &t), MPI_COMBINER_HVECTOR);
  MADE(MPI_Type_indexed(2, one, two, MPI_INT, &t), MPI_COMBINER_INDEXED);
  MADE(MPI_Type_create_hindexed(2, one, far, MPI_INT, &t), MPI_COMBINER_HINDEXED);
  MADE(MPI_Type_create_indexed_block(2, 1, two, MPI_INT, &t), MPI_COMBINER_INDEXED_BLOCK);
  MADE(MPI_Type_create_hindexed_block(2, 1, far, MPI_INT, &t), MPI_COMBINER_HINDEXED_BLOCK);
  MADE(MPI_Type_create_struct(2, one, far, of, &t), MPI_COMBINER_STRUCT);
  MADE(MPI_Type_create_resized(MPI_INT, 0, 64, &t), MPI_COMBINER_RESIZED);
  CHECK(MPI_Type_create_subarray(2, two, one, zero, MPI_ORDER_FORTRAN, MPI_INT, &t) == MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(t, 32, 4, 4, ints, addresses, inner) == MPI_SUCCESS && ints[7] == MPI_ORDER_FORTRAN && inner[0] == MPI_INT);
  made_as(t, MPI_COMBINER_SUBARRAY, __LINE__), MPI_Type_free(&t);
  int lengths[3] = {1, 1, 1};
  MPI_Aint places[3] = {-8, 0, 40}, lb, extent;
  MPI_Datatype marked[3] = {MPI_LB, MPI_INT, MPI_UB};
  CHECK(MPI_Type_struct(3, lengths, places, marked, &t) == MPI_SUCCESS && MPI_Type_get_extent(t, &lb, &extent) == MPI_SUCCESS);
  CHECK(lb == -8 && extent == 48), made_as(t, MPI_COMBINER_STRUCT, __LINE__);
  CHECK(MPI_Type_get_contents(t, 32, 4, 4, ints, addresses, inner) == MPI_SUCCESS && inner[0] == MPI_LB && inner[2] == MPI_UB);
  MPI_Type_free(&t);
  int sizes[3] = {4, 4, 4}, grid[3] = {1, 1, 1}, distribs[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int args[3] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  CHECK(MPI_Type_create_darray(1, 0, 3, sizes, distribs, args, grid, MPI_ORDER_C, MPI_INT, &t) == MPI_SUCCESS);
  CHECK(MPI_Type_get_contents(t, 32, 4, 4, ints, addresses, inner) == MPI_SUCCESS && ints[15] == MPI_ORDER_C);
  CHECK(!memcmp(&ints[6], distribs, sizeof distribs) && !memcmp(&ints[9], args, sizeof args));
  made_as(t, MPI_COMBINER_DARRAY, __LINE__), MPI_Type_free(&t);
  CHECK(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_REAL, __LINE__);
  CHECK(MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_COMPLEX, __LINE__);
  CHECK(MPI_Type_create_f90_integer(6, &t) == MPI_SUCCESS), made_as(t, MPI_COMBINER_F90_INTEGER, __LINE__);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &t) == MPI_SUCCESS && (t == MPI_REAL8 || t == MPI_DOUBLE_PRECISION));
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &t) == MPI_SUCCESS && t == MPI_INTEGER8);
  CHECK(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 8, &t) == MPI_SUCCESS && (t == MPI_COMPLEX || t == MPI_COMPLEX8));
}

