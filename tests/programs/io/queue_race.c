/*
 * The data is written after the message that tells of it.
 *
 * RUN: run --seed 1..10
 * EXPECT: race 'data' @tell @main
 */
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t queue;
int data;

static void *tell(void *unused)
{
	mq_send(queue, "x", 1, 0);
	data = 1;
	return unused;
}

int main(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char name[64], got;
	pthread_t t;
	int seen;

	snprintf(name, sizeof(name), "/heddle-test-late-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
	mq_unlink(name);
	pthread_create(&t, NULL, tell, NULL);
	mq_receive(queue, &got, 1, NULL); /* where there are no queues: not even that */
	seen = data;
	pthread_join(t, NULL);
	return seen < 0;
}
