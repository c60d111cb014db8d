/* One line per rank: rank, size, host name, node as told, and what arrived by environment and by MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank = 0, size = 0, sum = 0;
  char host[256] = "";
  const char* seen = getenv("RAILGAUGE_TEST");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  gethostname(host, sizeof host - 1);
  printf("rank %d of %d on %s node %s environment %s sum %d\n", rank, size, host, argv[argc - 1], seen ? seen : "-", sum);
  MPI_Finalize();
  return 0;
}
