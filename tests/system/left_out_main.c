/*
 * Two threads race on `calls`, in left_out.c. `data` is handed over by an atomic of that file; with -DRACES
 * it is written once more after that.
 */
#include <pthread.h>

void count_call(void);
void make_ready(void);
int is_ready(void);

static int data;

static void *body(void *arg)
{
	count_call();
	while (!is_ready())
		;
	data++;
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, body, NULL);
	count_call();
	data = 1;
	make_ready();
#ifdef RACES
	data = 2;
#endif
	pthread_join(t, NULL);
	return 0;
}
