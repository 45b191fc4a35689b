/*
 * Does not do the same under the same schedule. "file NAME": every second run, counted in a file, is
 * shorter than the others; "child": waits for what another process writes. With a further word two threads race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, race, rounds = 2;

static void *add(void *arg)
{
	(void)arg;
	if (race)
		total++;
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* How many runs there were before this one. */
static int count_runs(const char *name)
{
	FILE *file = fopen(name, "r+");
	int n = 0;

	if (!file)
		exit(3);
	if (fscanf(file, "%d", &n) != 1)
		n = 0;
	rewind(file);
	fprintf(file, "%d\n", n + 1);
	fclose(file);
	return n;
}

static void hear_from_child(void)
{
	int fds[2];
	char byte;

	if (pipe(fds))
		exit(3);
	if (!fork()) {
		usleep(1000);
		_exit(write(fds[1], "x", 1) != 1);
	}
	if (read(fds[0], &byte, 1) != 1)
		exit(3);
	wait(NULL);
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	if (argc < 2)
		return 2;
	race = argc > 3;
	if (!strcmp(argv[1], "child"))
		hear_from_child();
	else
		rounds = count_runs(argv[2]) % 2 ? 20 : 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
