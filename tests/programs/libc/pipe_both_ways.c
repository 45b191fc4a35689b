/*
 * A reader of an empty pipe and a writer of a full one wait for each other without
 * stopping the process; far more goes through than a pipe holds, both ways.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BYTES (300 * 1024)

static int there[2], back[2];

/* Sends what it receives, one higher. */
static void *echo(void *arg)
{
	unsigned char buf[1000];
	ssize_t n;

	while ((n = read(there[0], buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			buf[i]++;
		assert(write(back[1], buf, (size_t)n) == n);
	}
	assert(n == 0);
	close(back[1]);
	return NULL;
}

static void *send_all(void *arg)
{
	unsigned char *data = malloc(BYTES);
	struct iovec parts[2] = {{data, BYTES / 3}, {data + BYTES / 3, BYTES - BYTES / 3}};

	for (int i = 0; i < BYTES; i++)
		data[i] = (unsigned char)(i % 251);
	/* One call, many times what the pipe holds. */
	assert(writev(there[1], parts, 2) == BYTES);
	close(there[1]);
	free(data);
	return NULL;
}

int main(void)
{
	pthread_t e, s;
	unsigned char buf[777];
	ssize_t n;
	int seen = 0;

	assert(pipe(there) == 0 && pipe(back) == 0);
	pthread_create(&e, NULL, echo, NULL);
	pthread_create(&s, NULL, send_all, NULL);
	while ((n = read(back[0], buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++, seen++)
			assert(buf[i] == seen % 251 + 1);
	}
	assert(n == 0 && seen == BYTES);
	pthread_join(e, NULL);
	pthread_join(s, NULL);
	return 0;
}
