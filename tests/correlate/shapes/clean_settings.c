/*
 * Settings are read each on its own, where they are needed; a reload sets all of them.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	int timeout, retries, verbose;
} settings = { 30, 2, 0 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int waited, tried;

static int setting(const int *which)
{
	int v;

	pthread_rwlock_rdlock(&lock);
	v = *which;
	pthread_rwlock_unlock(&lock);
	return v;
}

static void *client(void *arg)
{
	for (int i = 0; i < 3; i++) {
		waited += setting(&settings.timeout);
		tried += setting(&settings.retries);
		if (setting(&settings.verbose))
			puts("round");
	}
	return arg;
}

static void *reload(void *arg)
{
	pthread_rwlock_wrlock(&lock);
	settings.timeout = 60;
	settings.retries = 5;
	settings.verbose = 1;
	pthread_rwlock_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, client, NULL);
	pthread_create(&b, NULL, reload, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d %d\n", waited, tried);
	return 0;
}
