/*
 * Standard I/O on a pipe between threads: getline, fgets, fgetc, fread and fscanf wait for
 * what another thread prints bit by bit, and printing more than a pipe holds waits for the
 * reader.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 5000

static int fds[2];

static void *printer(void *arg)
{
	FILE *out = fdopen(fds[1], "w");
	char block[100];

	/* The first line in two pieces, with others running in between. */
	fprintf(out, "first ");
	fflush(out);
	usleep(1000);
	fprintf(out, "line\nsecond line\nx");
	fflush(out);
	usleep(1000);
	fputs("1234", out);
	fflush(out);
	usleep(1000);
	fputs("5678 99\n", out);
	fflush(out);
	memset(block, 'b', sizeof(block));
	block[99] = '\n';
	for (int i = 0; i < LINES; i++)
		assert(fwrite(block, 1, sizeof(block), out) == sizeof(block));
	fclose(out);
	return NULL;
}

int main(void)
{
	char *line = NULL, text[100];
	int number, lines = 0;
	size_t room = 0;
	pthread_t t;
	FILE *in;

	assert(pipe(fds) == 0);
	in = fdopen(fds[0], "r");
	pthread_create(&t, NULL, printer, NULL);
	assert(getline(&line, &room, in) == 11);
	assert(strcmp(line, "first line\n") == 0 && room >= 12);
	assert(fgets(text, sizeof(text), in) == text);
	assert(strcmp(text, "second line\n") == 0);
	assert(fgetc(in) == 'x');
	assert(fread(text, 1, 8, in) == 8 && memcmp(text, "12345678", 8) == 0);
	assert(fscanf(in, "%d", &number) == 1 && number == 99);
	assert(getc(in) == '\n');
	while (getline(&line, &room, in) == 100) {
		assert(line[0] == 'b' && line[98] == 'b' && line[99] == '\n');
		lines++;
	}
	assert(lines == LINES && feof(in));
	free(line);
	pthread_join(t, NULL);
	fclose(in);
	return 0;
}
