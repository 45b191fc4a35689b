/*
 * Data and a flag, both volatile: stores stay in order, and so do loads, so the data is there when the flag is
 * seen. REPLY: each announces itself and looks for the other, and one of them should see the other; it need not.
 */
#include <assert.h>
#include <pthread.h>

static volatile int data, flag, asleep, ready;
static int missed[2];

static void *writer(void *arg)
{
	data = 42;
	flag = 1;
	ready = 1;
	missed[0] = !asleep;
	return NULL;
}

static void *reader(void *arg)
{
	if (flag)
		assert(data == 42);
	asleep = 1;
	missed[1] = !ready;
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, writer, NULL);
	reader(NULL);
	pthread_join(t, NULL);
#ifdef REPLY
	assert(!(missed[0] && missed[1]));
#endif
	return 0;
}
