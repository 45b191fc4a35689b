/*
 * Two getters, each with the lock; their results are multiplied. Resizing changes both.
 * GOOD: one getter.
 *
 * EXPECT: extended-race win.w win.h
 */
#include <pthread.h>
#include <stdio.h>

static struct window {
	int w, h;
	pthread_mutex_t mtx;
} win = { 4, 3, PTHREAD_MUTEX_INITIALIZER };

static int width(struct window *x)
{
	int r;

	pthread_mutex_lock(&x->mtx);
	r = x->w;
	pthread_mutex_unlock(&x->mtx);
	return r;
}

static int height(struct window *x)
{
	int r;

	pthread_mutex_lock(&x->mtx);
	r = x->h;
	pthread_mutex_unlock(&x->mtx);
	return r;
}

static int area(struct window *x)
{
#ifdef GOOD
	int r;

	pthread_mutex_lock(&x->mtx);
	r = x->w * x->h;
	pthread_mutex_unlock(&x->mtx);
	return r;
#else
	return width(x) * height(x);
#endif
}

static void *paint(void *arg)
{
	for (int i = 0; i < 5; i++)
		printf("%d\n", area(arg));
	printf("%d\n", width(arg));
	printf("%d\n", height(arg));
	return NULL;
}

static void *resize(void *arg)
{
	struct window *x = arg;

	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&x->mtx);
		x->w = 4 + i;
		x->h = 3 + i;
		pthread_mutex_unlock(&x->mtx);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, paint, &win);
	pthread_create(&b, NULL, resize, &win);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
