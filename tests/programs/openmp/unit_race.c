/*
 * Two iterations that any static schedule gives to one thread, for few threads at least, write the same
 * variable: a race, since another number of threads parts them.
 *
 * CC: -fopenmp
 * RUN: run --seed 1..3
 * EXPECT: race last
 * EXPECT: race table[1]
 * EXPECT: race cell
 * RUN: run --seed 1..3 --threads 2
 * EXPECT: race last
 * EXPECT: race table[1]
 * EXPECT: race cell
 * RUN: run --threads 1
 * EXPECT: race last
 * EXPECT: race table[1]
 * EXPECT: race cell
 */
static int last, table[8], cell, out[64];

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 64; i++) {
		out[i] = i;
		if (i == 3 || i == 4)
			last = i;
	}
#pragma omp parallel for schedule(static, 4)
	for (int i = 0; i < 64; i++) {
		out[i] = i;
		if (i == 3 || i == 35)
			table[1] = i;
	}
#pragma omp parallel sections
	{
#pragma omp section
		cell = 1;
#pragma omp section
		cell = 2;
	}
	return last + table[1] + cell + out[9] < 0;
}
