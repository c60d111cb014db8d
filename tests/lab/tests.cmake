# The lab for real: namespaces, faults, MPI through lab-exec, nothing left behind.
add_executable(lab_driver ${CMAKE_SOURCE_DIR}/tests/lab/lab_driver.cc)
target_link_libraries(lab_driver PRIVATE rg_lab rg_launch)
add_executable(hello_mpi ${CMAKE_SOURCE_DIR}/tests/lab/hello_mpi.c)
target_link_libraries(hello_mpi PRIVATE MPI::MPI_C)
add_test(NAME lab.basic COMMAND ${CMAKE_SOURCE_DIR}/tests/lab/lab_basic.sh $<TARGET_FILE:lab_driver> $<TARGET_FILE:hello_mpi>)
set_tests_properties(lab.basic PROPERTIES LABELS lab TIMEOUT 180 SKIP_RETURN_CODE 77)
