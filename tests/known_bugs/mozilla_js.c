/*
 * Mozilla: js_DestroyContext of the last context frees the atom table while another thread begins
 * a context: the state is tested under the lock, acted on later.
 *
 * FAILS: crash
 * CAUSE: contexts|atoms
 * REMEDY: 'gc'
 */
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
static pthread_mutex_t gc = PTHREAD_MUTEX_INITIALIZER;
static int contexts;
static int *atoms;
static void begin(void)
{
	pthread_mutex_lock(&gc);
	if (contexts++ == 0) {
		atoms = malloc(sizeof(int));
		*atoms = 7;
	}
	pthread_mutex_unlock(&gc);
}
static void use(void)
{
	pthread_mutex_lock(&gc);
	*atoms += 1;
	pthread_mutex_unlock(&gc);
}
static void end(void)
{
	int last;
#ifdef FIXED
	pthread_mutex_lock(&gc);
	last = --contexts == 0;
	if (last) {
		free(atoms);
		atoms = NULL;
	}
	pthread_mutex_unlock(&gc);
#else
	pthread_mutex_lock(&gc);
	last = --contexts == 0;
	pthread_mutex_unlock(&gc);
	if (last) {
		pthread_mutex_lock(&gc);
		free(atoms);
		atoms = NULL;
		pthread_mutex_unlock(&gc);
	}
#endif
}
static void *w(void *a)
{
	begin();
	use();
	end();
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, w, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
