# Real runs in the lab with planted faults; RG_FULL=1 (./check lab --full) repeats each scenario ten times.
add_executable(dump_samples ${CMAKE_SOURCE_DIR}/tests/campaign/dump_samples.cc)
target_link_libraries(dump_samples PRIVATE rg_cases rg_proto)
if(TARGET railgauge)
  foreach(name campaign faults)
    add_test(NAME lab.${name} COMMAND ${Python3_EXECUTABLE} -u ${CMAKE_SOURCE_DIR}/tests/campaign/${name}.py
      $<TARGET_FILE:railgauge> $<TARGET_FILE:dump_samples> --jobs 2)
    set_tests_properties(lab.${name} PROPERTIES RUN_SERIAL ON TIMEOUT 7200 SKIP_RETURN_CODE 77)
  endforeach()
  set_tests_properties(lab.campaign PROPERTIES LABELS lab)
  set_tests_properties(lab.faults PROPERTIES LABELS faults)
endif()
