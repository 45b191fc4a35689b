/*
 * MySQL 3596: thd->proc_info is tested and then used; another thread resets it in between.
 *
 * FAILS: crash
 * CAUSE: proc_info
 * REMEDY: 'm'
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *proc_info = "Sorting";
static size_t length;
static const char *info(void)
{
	pthread_mutex_lock(&m);
	const char *s = proc_info;
	pthread_mutex_unlock(&m);
	return s;
}
static void *show(void *a)
{
#ifdef FIXED
	const char *s = info();
	if (s)
		length = strlen(s);
#else
	if (info())
		length = strlen(info());
#endif
	return a;
}
static void *end(void *a)
{
	pthread_mutex_lock(&m);
	proc_info = NULL;
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, show, NULL);
	pthread_create(&t[1], NULL, end, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return length > 7;
}
