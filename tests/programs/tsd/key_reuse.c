/*
 * A new key starts with null in every thread, even where a deleted one had the same
 * number; all keys can be had, and no more.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"
#include <limits.h>

int main(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX];
	pthread_key_t extra;
	int n = 0, rc;

	while (n < PTHREAD_KEYS_MAX && (rc = pthread_key_create(&keys[n], NULL)) == 0)
		n++;
	assert(n > PTHREAD_KEYS_MAX / 2); /* libraries may have taken a few */
	if (n < PTHREAD_KEYS_MAX)
		assert(rc == EAGAIN);
	assert(pthread_key_create(&extra, NULL) == EAGAIN);
	for (int i = 0; i < n; i++)
		assert(pthread_setspecific(keys[i], &keys[i]) == 0);
	for (int i = 0; i < n; i++)
		assert(pthread_getspecific(keys[i]) == &keys[i]);
	assert(pthread_key_delete(keys[7]) == 0);
	assert(pthread_key_create(&extra, NULL) == 0);
	assert(pthread_getspecific(extra) == NULL);
	return 0;
}
