/*
 * Five threads count, and each run of the program has a file of one name to itself: two runs at a time would meet
 * in it, and fail.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define N 5

static atomic_int count;

static void *add(void *arg)
{
	(void)arg;
	return (void *)(long)atomic_fetch_add(&count, 1); /* so its place among the others matters */
}

int main(int argc, char **argv)
{
	pthread_t threads[N];
	int fd;

	assert(argc == 2);
	fd = open(argv[1], O_CREAT | O_EXCL | O_WRONLY, 0600);
	assert(fd >= 0);
	for (int i = 0; i < N; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < N; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	return unlink(argv[1]);
}
