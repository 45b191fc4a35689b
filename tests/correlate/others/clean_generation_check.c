/*
 * A value and its generation are read together, something is computed without the lock, and stored only if the
 * generation is still the same; otherwise it is tried again.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static struct {
	pthread_mutex_t lock;
	unsigned generation;
	long value, square;
} state = { PTHREAD_MUTEX_INITIALIZER, 0, 2, 4 };

static void *squarer(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int done = 0;

		while (!done) {
			unsigned was;
			long v;

			pthread_mutex_lock(&state.lock);
			was = state.generation;
			v = state.value;
			pthread_mutex_unlock(&state.lock);
			v = v * v;
			pthread_mutex_lock(&state.lock);
			if (state.generation == was) {
				state.square = v;
				done = 1;
			}
			pthread_mutex_unlock(&state.lock);
		}
	}
	return arg;
}

static void *setter(void *arg)
{
	for (int i = 3; i < 7; i++) {
		pthread_mutex_lock(&state.lock);
		state.generation++;
		state.value = i;
		state.square = (long)i * i;
		pthread_mutex_unlock(&state.lock);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, squarer, NULL);
	pthread_create(&b, NULL, setter, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld %ld\n", state.value, state.square);
	return 0;
}
