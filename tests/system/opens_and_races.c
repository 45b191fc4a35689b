/* Writes a line to the file that it is given, before it has threads; then two of them race. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *work(void *arg)
{
	shared++;
	return arg;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t a, b;

	if (fd < 0 || write(fd, "only this\n", 10) != 10)
		return 1;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
