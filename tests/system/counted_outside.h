/*
 * What is counted in files, and so not put back when a program is executed again.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, rounds = 1;

/* One more process has written there: so many have. */
static off_t append(const char *name)
{
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
	struct stat st;

	if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &st) || close(fd))
		_exit(3);
	return st.st_size;
}

/* Before heddle's runtime begins. */
static void begin(int argc, char **argv, char **env);
__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
								      char **) = begin;

/* A shell counts them. */
static int executions(const char *name)
{
	char command[4096];
	struct stat st;

	snprintf(command, sizeof(command), "printf x >> '%s.shell'", name);
	if (system(command))
		exit(3);
	snprintf(command, sizeof(command), "%s.shell", name);
	return stat(command, &st) ? 0 : (int)st.st_size;
}

static void *add(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void add_in_two_threads(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
