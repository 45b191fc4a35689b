/*
 * Two threads count under a lock of one file, each with a descriptor of its own; one gives it back by closing.
 *
 * RUN: run --seed 1..10
 * EXPECT: clean
 */
#include "../program.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static int count;

static void *count_up(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int fd = open("/proc/self/exe", O_RDONLY);

		assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
		count++; /* WRITE */
		if (arg)
			flock(fd, LOCK_UN);
		close(fd);
	}
	return NULL;
}

int main(void)
{
	pthread_t t = start(count_up, NULL), u = start(count_up, &count);

	finish(t);
	finish(u);
	return 0;
}
