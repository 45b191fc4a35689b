/*
 * Width and height are asked for one after the other, each under the read lock, and multiplied; a
 * resize sets both under the write lock. GOOD: asked for together.
 *
 * EXPECT: extended-race window.width window.height
 * PART
 */
#include <pthread.h>
#include <stdio.h>

struct window {
	int width, height;
} window = { 4, 3 };
static pthread_rwlock_t guard = PTHREAD_RWLOCK_INITIALIZER;
static long drawn;

static int width(void)
{
	int w;

	pthread_rwlock_rdlock(&guard);
	w = window.width;
	pthread_rwlock_unlock(&guard);
	return w;
}

static int height(void)
{
	int h;

	pthread_rwlock_rdlock(&guard);
	h = window.height;
	pthread_rwlock_unlock(&guard);
	return h;
}

static void size_of(int *w, int *h)
{
	pthread_rwlock_rdlock(&guard);
	*w = window.width;
	*h = window.height;
	pthread_rwlock_unlock(&guard);
}

static void *draw(void *arg)
{
	for (int i = 0; i < 3; i++) {
		int w, h;

#ifdef GOOD
		size_of(&w, &h);
#else
		w = width();
		h = height();
#endif
		drawn += (long)w * h;
	}
	return arg;
}

static void *resize(void *arg)
{
	int w, h;

	size_of(&w, &h);
	pthread_rwlock_wrlock(&guard);
	window.width = 16;
	window.height = 9;
	pthread_rwlock_unlock(&guard);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, draw, NULL);
	pthread_create(&b, NULL, resize, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld, now %d x %d\n", drawn, width(), height());
	return 0;
}
