/*
 * Does not do the same under the same schedule. "file NAME": every second run, counted in a file, is
 * shorter than the others; "child": waits for what another process writes. With a further word two threads race.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Is it one of every second run? A shell counts: what that writes is not put back after the run. */
static int is_second(const char *name)
{
	char command[4096];
	struct stat st;

	snprintf(command, sizeof(command), "printf x >> '%s'", name);
	if (system(command) || stat(name, &st))
		exit(3);
	return st.st_size % 2;
}

static void hear_from_child(void)
{
	int fds[2];
	char byte;

	if (pipe(fds))
		exit(3);
	if (!fork())
		_exit(write(fds[1], "x", 1) != 1);
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
		rounds = is_second(argv[2]) ? 20 : 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
