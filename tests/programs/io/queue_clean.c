/*
 * Threads hand data to each other through message queues: who receives a message knows what its sender did. A full
 * queue and an empty one make them wait, some of them not for ever.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --pct-length 50 --seed 1..10
 * EXPECT: clean
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGES 5

static mqd_t there, back;
static int data[MESSAGES];

static mqd_t make_queue(const char *which, long room)
{
	struct mq_attr attr = { .mq_maxmsg = room, .mq_msgsize = sizeof(int) };
	char name[64];
	mqd_t queue;

	snprintf(name, sizeof(name), "/heddle-test-%s-%d", which, (int)getpid());
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
	mq_unlink(name);
	return queue;
}

static void *answer(void *unused)
{
	for (int i = 0; i < MESSAGES; i++) {
		int at = -1;
		unsigned priority;

		assert(mq_receive(there, (char *)&at, sizeof(at), &priority) == sizeof(at));
		assert(at == i && priority == 1 && data[at] == at);
		data[at] = -at;
		assert(mq_send(back, (const char *)&at, sizeof(at), 0) == 0);
	}
	return unused;
}

int main(void)
{
	struct timespec past = { .tv_sec = 1 }, late = { .tv_sec = 1L << 33 };
	pthread_t t;
	int at;

	there = make_queue("there", 1);
	back = make_queue("back", MESSAGES);
	if (there < 0 || back < 0)
		return 0; /* there are none here */
	assert(mq_timedreceive(there, (char *)&at, sizeof(at), NULL, &past) < 0);
	assert(errno == ETIMEDOUT);
	pthread_create(&t, NULL, answer, NULL);
	for (int i = 0; i < MESSAGES; i++) {
		data[i] = i;
		assert(mq_send(there, (const char *)&i, sizeof(i), 1) == 0);
	}
	for (int i = 0; i < MESSAGES; i++) {
		while (mq_timedreceive(back, (char *)&at, sizeof(at), NULL, &late) < 0)
			assert(errno == ETIMEDOUT);
		assert(data[at] == -at);
	}
	pthread_join(t, NULL);
	return 0;
}
