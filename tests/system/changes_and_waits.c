/*
 * Changes, makes and removes files in its folder, tells so through the pipe "told" and waits for what never comes
 * through the pipe "go".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *change(void *arg)
{
	FILE *f = fopen("kept", "w");

	fputs("changed", f);
	fclose(f);
	f = fopen("made", "w");
	fclose(f);
	unlink("removed");
	return arg;
}

int main(void)
{
	pthread_t thread;
	char byte = 'x';
	int told, go;

	pthread_create(&thread, NULL, change, NULL);
	pthread_join(thread, NULL);
	told = open("told", O_WRONLY);
	if (write(told, &byte, 1) != 1)
		return 1;
	go = open("go", O_RDONLY); /* there is no writer */
	return (int)read(go, &byte, 1);
}
