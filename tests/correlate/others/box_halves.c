/*
 * A box of two points, copied as structs in two sections and handed back by value; the other thread assigns
 * it whole.
 *
 * EXPECT: extended-race clip.min.x clip.max.x
 * PART
 */
#include <pthread.h>
#include <stdio.h>
struct point {
	double x, y;
};
struct box {
	struct point min, max;
};
static struct box clip = { { 0, 0 }, { 4, 3 } };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) struct box current(void)
{
	struct box b;
	pthread_mutex_lock(&lock);
	b.min = clip.min;
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	b.max = clip.max;
	pthread_mutex_unlock(&lock);
	return b;
}
static void *draw(void *arg)
{
	struct box b = current();
	*(double *)arg = (b.max.x - b.min.x) * (b.max.y - b.min.y);
	return NULL;
}
static void *pan(void *arg)
{
	double d = *(double *)arg;
	pthread_mutex_lock(&lock);
	clip = (struct box){ { d, d }, { d + 4, d + 3 } };
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	double area, by = 10;
	pthread_create(&a, NULL, draw, &area);
	pthread_create(&b, NULL, pan, &by);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%g\n", area);
	return 0;
}
