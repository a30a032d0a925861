#include "test/unit/catch.h"

#include "test/unit/coll_cases.h"

namespace tutti::coll {

TEST_CASE("every algorithm computes the right results with data") {
  const Coll coll = GENERATE(from_range(std::begin(kAllColls), std::end(kAllColls)));
  Op& sum = predefined_op(OpId::kSum);
  Ref<Op> user = make_ref<Op>(AnyFn(nothing), false, false, kProfile);
  Ref<Datatype> types[] = {plain_type(), gappy_type()};
  DYNAMIC_SECTION(name_of(coll)) {
    unsigned seed = 1;
    for (const Row& row : rows(coll)) {
      for (int p : {1, 2, 3, 4, 5, 8}) {
        Job job(p, name_of(coll) + "=" + row.name, p % 2, seed++, p == 5 ? Map::kUneven : Map::kBlocks);
        for (int root : {0, p - 1}) {
          if (root > 0 && !rooted(coll)) continue;
          for (Count count : {0, 1, 7, 3 * p}) {
            for (bool in_place : {false, true}) {
              for (auto& type : types) {
                // A predefined op takes basic types only.
                Op* op = type->predefined && row.in_order == (count % 2 == 0) ? &sum : user.get();
                if (type->predefined && !row.in_order) op = &sum;
                const Case c{coll, p, root, count, in_place, op, type.get()};
                const std::string fault = run_case(job, c);
                INFO(name_of(coll) << "=" << row.name << " p=" << p << " root=" << root << " count=" << count
                                   << " in place=" << in_place << " type=" << type->describe());
                CHECK(fault == "");
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("several collectives under way on one communicator do not mix") {
  Op& sum = predefined_op(OpId::kSum);
  for (bool eager : {true, false}) {
    Job job(5, "", eager, 7);
    const Case cases[] = {{Coll::kAllreduce, 5, 0, 9, false, &sum, &predefined_type(BasicId::kInt64)},
                          {Coll::kBcast, 5, 3, 9, false, &sum, &predefined_type(BasicId::kInt64)},
                          {Coll::kAllreduce, 5, 0, 9, false, &sum, &predefined_type(BasicId::kInt64)},
                          {Coll::kAlltoall, 5, 0, 2, false, &sum, &predefined_type(BasicId::kInt64)},
                          {Coll::kBarrier, 5, 0, 0, false, &sum, &predefined_type(BasicId::kInt64)},
                          {Coll::kAllreduce, 5, 0, 1, true, &sum, &predefined_type(BasicId::kInt64)}};
    std::vector<Side> sides(5 * std::size(cases));
    std::vector<Ref<Request>> requests;
    for (int r = 4; r >= 0; --r) {
      for (std::size_t i = 0; i < std::size(cases); ++i) {
        Result<Call> call = call_of(cases[i], r, sides[i * 5 + std::size_t(r)], *job.comms[std::size_t(r)]);
        REQUIRE(call);
        REQUIRE_FALSE(run_later(call.take(), requests.emplace_back()));
      }
    }
    REQUIRE(job.finish(requests));
    for (std::size_t i = 0; i < std::size(cases); ++i)
      for (int r = 0; r < 5; ++r) CHECK(fault_of(cases[i], r, sides[i * 5 + std::size_t(r)]) == "");
    CHECK(job.network.quiet());
    for (auto& engine : job.engines) CHECK(engine->plans() == 0);
  }
}

TEST_CASE("a persistent collective runs each time it is started, in any order of starts") {
  Op& sum = predefined_op(OpId::kSum);
  Job job(3, "", true, 11);
  const Case first{Coll::kAllreduce, 3, 0, 4, false, &sum, &predefined_type(BasicId::kInt64)};
  const Case second{Coll::kAllgather, 3, 0, 2, false, &sum, &predefined_type(BasicId::kInt64)};
  std::vector<Side> sides(6);
  std::vector<Ref<Request>> a(3), b(3);
  for (int r = 0; r < 3; ++r) {
    Comm& comm = *job.comms[std::size_t(r)];
    REQUIRE_FALSE(run_on_start(call_of(first, r, sides[std::size_t(r)], comm).take(), a[std::size_t(r)]));
    REQUIRE_FALSE(run_on_start(call_of(second, r, sides[std::size_t(3 + r)], comm).take(), b[std::size_t(r)]));
    CHECK_FALSE(a[std::size_t(r)]->active);
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t r = 0; r < 3; ++r) {
      REQUIRE_FALSE((r == 1 ? a : b)[r]->start());
      REQUIRE_FALSE((r == 1 ? b : a)[r]->start());
    }
    REQUIRE(job.finish(a));
    REQUIRE(job.finish(b));
    for (int r = 0; r < 3; ++r) {
      CHECK(fault_of(first, r, sides[std::size_t(r)]) == "");
      CHECK(fault_of(second, r, sides[std::size_t(3 + r)]) == "");
      std::fill(sides[std::size_t(r)].out.words.begin(), sides[std::size_t(r)].out.words.end(), kUntouched);
    }
  }
}

TEST_CASE("a repeated call finds its plan and its room again") {
  Op& sum = predefined_op(OpId::kSum);
  Job job(4, "", true, 3);
  const Case c{Coll::kAllreduce, 4, 0, 100, false, &sum, &predefined_type(BasicId::kInt64)};
  CHECK(run_case(job, c) == "");
  Collectives& of_rank_0 = job.collectives(0);
  const Shape s = of_rank_0.shape(Coll::kAllreduce, 0, 100, 8, true, nullptr);
  Planned& plan = of_rank_0.use_plan(s);
  of_rank_0.drop_plan(plan);
  Run& run = of_rank_0.take_run();
  of_rank_0.give_run(run);
  CHECK(run_case(job, c) == "");
  CHECK(&of_rank_0.use_plan(s) == &plan);
  of_rank_0.drop_plan(plan);
  CHECK(plan.users == 0);
  CHECK(&of_rank_0.take_run() == &run);
}

TEST_CASE("plans that were not used for long give way, but never one that runs") {
  Job job(2, "", true, 5);
  Collectives& c = job.collectives(0);
  Planned& held = c.use_plan(c.shape(Coll::kBcast, 0, 1, 1, true, nullptr));
  for (Count n = 2; n < 1000; ++n) c.drop_plan(c.use_plan(c.shape(Coll::kBcast, 0, n, 1, true, nullptr)));
  CHECK(held.count == 1);
  CHECK(held.users == 1);
  CHECK(&c.use_plan(c.shape(Coll::kBcast, 0, 1, 1, true, nullptr)) == &held);
}

TEST_CASE("ranks that disagree about a length get an error, not wrong data or a hang") {
  Datatype& type = predefined_type(BasicId::kInt64);
  for (Count sent : {3, 9}) {
    Job job(2, "bcast=tree", true, 5);
    std::vector<Side> sides(2);
    std::vector<Ref<Request>> requests(2);
    for (int r = 0; r < 2; ++r) {
      const Count count = r == 0 ? sent : 6;
      Result<Call> call =
          bcast_call(Side::data(sides[std::size_t(r)].out, count, type), count, type, 0, *job.comms[std::size_t(r)]);
      REQUIRE_FALSE(run_later(call.take(), requests[std::size_t(r)]));
    }
    REQUIRE(job.finish(requests));
    CHECK_FALSE(requests[0]->err);
    CHECK(requests[1]->err.mpi_class() == (sent > 6 ? kErrTruncate : kErrCount));
    if (sent < 6) CHECK_THAT(requests[1]->err.text(), Catch::Contains("rank 0 sent 24 bytes") && Catch::Contains("48"));
  }
}

TEST_CASE("broadcast parts of a vector whose ranks describe it by different types") {
  // The root sends numbers with gaps, the others take them side by side: the bytes agree, the counts needn't.
  Ref<Datatype> pair = data::make_contiguous(2, predefined_type(BasicId::kInt64)).take();
  pair->commit();
  Ref<Datatype> gappy = gappy_type();
  for (const char* rule : {"bcast=doubling", "bcast=scatter_allgather", "bcast=tree", "bcast=ring"}) {
    Job job(3, rule, false, 9);
    std::vector<Side> sides(3);
    std::vector<Ref<Request>> requests(3);
    for (int r = 0; r < 3; ++r) {
      Datatype& type = r == 0 ? *gappy : *pair;
      const Count count = r == 0 ? 10 : 5;
      void* out = Side::data(sides[std::size_t(r)].out, count, type);
      for (Count i = 0; r == 0 && i < count; ++i) value_at(out, i, type) = i * i;
      REQUIRE_FALSE(
          run_later(bcast_call(out, count, type, 0, *job.comms[std::size_t(r)]).take(), requests[std::size_t(r)]));
    }
    REQUIRE(job.finish(requests));
    for (std::size_t r = 1; r < 3; ++r)
      for (std::int64_t i = 0; i < 10; ++i) CHECK(sides[r].out.words[std::size_t(i)] == i * i);
  }
}

}  // namespace tutti::coll
