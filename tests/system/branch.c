/*
 * Which branch the reader takes depends on who comes first; it says which.
 */
#include <pthread.h>
#include <stdio.h>

static int flag, yes, no;

static void *reader(void *arg)
{
	if (flag) /* READ */
		yes = 1; /* YES */
	else
		no = 1; /* NO */
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, reader, NULL);
	flag = argc;
	pthread_join(t, NULL);
	puts(yes ? "yes" : no ? "no" : "neither");
	return 0;
}
