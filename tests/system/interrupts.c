/*
 * Threads that write to one variable. Executions in which the last thread is not the last to write
 * interrupt the explorer, if there is a file with its number, and remove that: the first argument
 * names it, the second says how many threads there are.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int shared;

static void *writes(void *arg)
{
	atomic_store(&shared, (int)(long)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	int n = atoi(argv[2]), pid = 0;
	FILE *file = fopen(argv[1], "r");

	if (file) {
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
	}
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, writes, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (pid && atomic_load(&shared) != n - 1 && unlink(argv[1]) == 0)
		kill(pid, SIGINT);
	return 0;
}
