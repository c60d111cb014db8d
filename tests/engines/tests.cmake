# The UCX plug-in over the loopback interface, in threads and with a child process that is killed. Sources mirror workers/engines/ucx.
if(TARGET railgauge_ucx)
  set(mirror ${CMAKE_SOURCE_DIR}/tests/unit/workers/engines/ucx)
  set(parts ${CMAKE_SOURCE_DIR}/workers/engines/ucx)
  add_executable(test_ucx_parts ${mirror}/payload_pattern_test.cc ${mirror}/arrival_log_test.cc ${mirror}/network_device_test.cc ${mirror}/spin_budget_test.cc
    ${parts}/payload_pattern.cc ${parts}/arrival_log.cc ${parts}/network_device.cc)
  target_link_libraries(test_ucx_parts PRIVATE rg_options rg_cases rg_proto GTest::gtest_main)
  gtest_discover_tests(test_ucx_parts PROPERTIES LABELS unit TIMEOUT 120 DISCOVERY_TIMEOUT 60)

  add_executable(test_ucx_engine ${mirror}/ucx_engine_test.cc ${mirror}/ucx_failure_test.cc ${mirror}/engine_child.cc)
  target_link_libraries(test_ucx_engine PRIVATE rg_options rg_engine rg_proto GTest::gtest)
  add_dependencies(test_ucx_engine railgauge_ucx)
  gtest_discover_tests(test_ucx_engine PROPERTIES LABELS engine TIMEOUT 120 DISCOVERY_TIMEOUT 60)
endif()
