/*
 * A stream between two threads: large sends wait for the receiver, MSG_WAITALL waits for
 * the whole, a receive time-out takes virtual time, shutdown ends the stream.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BYTES (1024 * 1024)

static int ends[2];

static void *sender(void *arg)
{
	char *data = malloc(BYTES);

	for (int i = 0; i < BYTES; i++)
		data[i] = (char)(i % 127);
	assert(send(ends[0], data, BYTES, 0) == BYTES);
	assert(shutdown(ends[0], SHUT_WR) == 0);
	free(data);
	return NULL;
}

static void receive(void)
{
	char *data = malloc(BYTES), one;

	assert(recv(ends[1], data, 10, MSG_PEEK) == 10);
	assert(recv(ends[1], data, BYTES, MSG_WAITALL) == BYTES);
	for (int i = 0; i < BYTES; i++)
		assert(data[i] == i % 127);
	assert(recv(ends[1], &one, 1, 0) == 0);
	free(data);
}

static void time_out(void)
{
	struct timeval limit = {1000, 0};
	struct timespec before, after;
	char one;

	clock_gettime(CLOCK_MONOTONIC, &before);
	assert(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
	assert(recv(ends[0], &one, 1, 0) == -1 && errno == EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec - before.tv_sec >= 1000);
}

int main(void)
{
	pthread_t t;
	char one;

	assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	assert(recv(ends[1], &one, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
	pthread_create(&t, NULL, sender, NULL);
	receive();
	pthread_join(t, NULL);
	time_out();
	return 0;
}
