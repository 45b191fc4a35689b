/*
 * A server and two clients in one process: accept waits for connect, each client gets its
 * own answer.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define CLIENTS 2

static struct sockaddr_in address;

static void *client(void *arg)
{
	char number = (char)(long)arg, answer = 0;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert(send(fd, &number, 1, 0) == 1);
	assert(recv(fd, &answer, 1, 0) == 1);
	assert(answer == number + 100);
	close(fd);
	return NULL;
}

static void *serve(void *arg)
{
	int fd = (int)(long)arg;
	char c;

	assert(read(fd, &c, 1) == 1);
	c = (char)(c + 100);
	assert(write(fd, &c, 1) == 1);
	assert(read(fd, &c, 1) == 0);
	close(fd);
	return NULL;
}

int main(void)
{
	socklen_t len = sizeof(address);
	pthread_t t[2 * CLIENTS];
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	assert(listen(listener, 8) == 0);
	assert(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
	for (long i = 0; i < CLIENTS; i++)
		pthread_create(&t[i], NULL, client, (void *)(i + 1));
	for (long i = 0; i < CLIENTS; i++) {
		long fd = accept(listener, NULL, NULL);

		assert(fd >= 0);
		pthread_create(&t[CLIENTS + i], NULL, serve, (void *)fd);
	}
	for (int i = 0; i < 2 * CLIENTS; i++)
		pthread_join(t[i], NULL);
	close(listener);
	return 0;
}
