/*
 * late [FILE]: does not come to its main if there is no file, or if it is the second process that has written to it.
 * That is before heddle's runtime begins, so it is not put back. Every second execution, which a shell counts, is
 * shorter.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, rounds;

static off_t append(const char *name)
{
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
	struct stat st;

	if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &st) || close(fd))
		_exit(3);
	return st.st_size;
}

static void begin(int argc, char **argv, char **env)
{
	(void)env;
	while (argc < 2 || append(argv[1]) == 2)
		pause();
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
								      char **) = begin;

static void *add(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(int argc, char **argv)
{
	char command[4096];
	struct stat st;
	pthread_t t[2];

	if (argc < 2)
		return 2;
	snprintf(command, sizeof(command), "printf x >> '%s.shell'", argv[1]);
	if (system(command))
		return 3;
	snprintf(command, sizeof(command), "%s.shell", argv[1]);
	rounds = stat(command, &st) == 0 && st.st_size % 2 ? 20 : 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
