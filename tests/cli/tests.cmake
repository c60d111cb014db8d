if(TARGET railgauge)
  add_test(NAME cli.bad_input COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/bad_input.sh $<TARGET_FILE:railgauge>)
  set_tests_properties(cli.bad_input PROPERTIES LABELS unit TIMEOUT 120)
endif()
