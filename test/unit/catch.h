// Catch2 without its FAIL, whose name is ours (base/err.h). Include this first.
#pragma once
#include <catch2/catch.hpp>
#undef FAIL
