# Real ranks under mpirun on this host, with an engine that needs no fabric.
add_library(railgauge_fake MODULE ${CMAKE_SOURCE_DIR}/tests/doubles/fake_engine_plugin.cc)
set_target_properties(railgauge_fake PROPERTIES PREFIX "")
target_link_libraries(railgauge_fake PRIVATE rg_options rg_cases)
add_executable(test_mpi_ranks ${CMAKE_SOURCE_DIR}/tests/mpi/rank_program_test.cc)
target_link_libraries(test_mpi_ranks PRIVATE rg_control rg_cases rg_proto GTest::gtest_main)
target_compile_definitions(test_mpi_ranks PRIVATE RG_RANK_PROGRAM="$<TARGET_FILE:railgauge-rank>")
add_dependencies(test_mpi_ranks railgauge-rank railgauge_fake)
gtest_discover_tests(test_mpi_ranks PROPERTIES LABELS mpi TIMEOUT 120 DISCOVERY_TIMEOUT 60 RUN_SERIAL TRUE)
add_test(NAME rank_program_libraries
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/mpi/allowed_libraries.py $<TARGET_FILE:railgauge-rank>)
set_tests_properties(rank_program_libraries PROPERTIES LABELS mpi)
# The rank program's command line: workers/main is a program and no library.
add_executable(test_rank_arguments ${CMAKE_SOURCE_DIR}/tests/unit/workers/main/arguments_test.cc
  ${CMAKE_SOURCE_DIR}/workers/main/arguments.cc)
target_link_libraries(test_rank_arguments PRIVATE rg_proto GTest::gtest_main)
gtest_discover_tests(test_rank_arguments PROPERTIES LABELS unit TIMEOUT 60)
