# Timings, as ratios of alternating runs. Not part of a plain ./check: `./check bench`, on a quiet machine.
if(TARGET railgauge_ucx)
  add_executable(p2p_bench ${CMAKE_SOURCE_DIR}/tests/bench/p2p_bench.cc)
  target_link_libraries(p2p_bench PRIVATE rg_options rg_engine rg_cases rg_proto)
  add_dependencies(p2p_bench railgauge_ucx)
  add_test(NAME bench.p2p_vs_ucx_perftest COMMAND ${Python3_EXECUTABLE} -u ${CMAKE_SOURCE_DIR}/tests/bench/p2p_vs_ucx_perftest $<TARGET_FILE:p2p_bench>)
  set_tests_properties(bench.p2p_vs_ucx_perftest PROPERTIES LABELS bench RUN_SERIAL ON TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()
