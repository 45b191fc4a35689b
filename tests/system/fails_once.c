/*
 * fails_once FILE [always|differs]: an assertion fails if this is the first process of all, or always. What is
 * written to the file before heddle's runtime begins is not put back. "differs": every second execution, which a
 * shell counts, is shorter.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total, rounds = 1, is_first;

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
	is_first = argc > 1 && append(argv[1]) == 1;
}

__attribute__((section(".preinit_array"), used)) static void (*early)(int, char **,
								      char **) = begin;

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

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t t[2];

	if (argc < 2)
		return 2;
	if (!strcmp(how, "differs"))
		rounds = executions(argv[1]) % 2 ? 20 : 2;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(!is_first && strcmp(how, "always"));
	return 0;
}
