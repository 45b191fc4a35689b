/*
 * Blocks from everywhere, used to their ends and freed by whoever: libc allocates for the program, a
 * constructor did before main, threads and a child process free what others made.
 *
 * RUN: run --seed 1..5
 * EXPECT: clean
 * RUN: run --races no --switch-at sync
 * EXPECT: clean
 * RUN: run --quarantine 0
 * EXPECT: clean
 * RUN: run --heap no
 * EXPECT: clean
 */
#include "../program.h"
#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <sys/wait.h>

static char *early;

__attribute__((constructor)) static void before_main(void)
{
	early = malloc(100);
	memset(early, 1, 100);
}

static void *drop(void *block)
{
	free(block);
	return NULL;
}

static void fill(void *block, size_t size)
{
	assert(block);
	memset(block, 1, size);
	((char *)block)[size - 1] = 2;
	finish(start(drop, block));
}

static void aligned_ones(void)
{
	void *p;

	assert(posix_memalign(&p, 3, 10) == EINVAL);
	for (size_t align = 8; align <= 1u << 20; align *= 2) {
		assert(posix_memalign(&p, align, 100) == 0 && (uintptr_t)p % align == 0);
		memset(p, 1, 100);
		free(p);
		p = memalign(align, 33);
		assert((uintptr_t)p % align == 0);
		p = realloc(p, 70);
		memset(p, 1, 70);
		free(p);
	}
	fill(aligned_alloc(32, 320), 320);
	fill(valloc(5000), 5000);
	fill(pvalloc(5000), 8192); /* whole pages */
}

static void usable_ones(void)
{
	for (size_t size = 1; size < 100; size += 7) {
		char *p = malloc(size);
		size_t room = malloc_usable_size(p);

		assert(room >= size);
		fill(p, room);
	}
	assert(malloc_usable_size(NULL) == 0);
}

static void from_libc(void)
{
	char *line = NULL, *text = NULL, path[PATH_MAX];
	size_t room = 0;
	FILE *in = fmemopen((char *)"one\ntwo\n", 8, "r"), *out;
	DIR *dir;

	while (getline(&line, &room, in) > 0)
		;
	fclose(in);
	free(line);
	assert(asprintf(&line, "%d", 12345678) == 8);
	assert(line[7] == '8');
	fill(line, 9);
	out = open_memstream(&text, &room);
	for (int i = 0; i < 1000; i++)
		fprintf(out, "%d", i);
	fclose(out);
	assert(strlen(text) == room);
	fill(text, room + 1);
	fill(strdup("hello"), 6);
	fill(strndup("hello", 2), 3);
	line = realpath(".", NULL);
	assert(line && getcwd(path, sizeof(path)));
	fill(line, strlen(line) + 1);
	dir = opendir(".");
	assert(dir);
	while (readdir(dir))
		;
	closedir(dir);
	setvbuf(stdout, NULL, _IOLBF, 4096);
	setenv("HEDDLE_TEST_VARIABLE", "a rather long value that needs memory", 1);
	assert(*getenv("HEDDLE_TEST_VARIABLE") == 'a');
	unsetenv("HEDDLE_TEST_VARIABLE");
}

static void in_a_child(void)
{
	char *block = malloc(100);
	int status;
	pid_t pid = fork();

	assert(pid >= 0);
	if (pid == 0) {
		free(block);
		block = realloc(malloc(10), 1000);
		block[999] = 1;
		free(block);
		_exit(*(char *)calloc(1, 10));
	}
	assert(waitpid(pid, &status, 0) == pid && status == 0);
	block[99] = 1;
	free(block);
}

static void at_the_end(void)
{
	free(early);
}

int main(void)
{
	char *zero = calloc(10, 10), *none = malloc(0);

	for (int i = 0; i < 100; i++)
		assert(zero[i] == 0);
	zero = realloc(zero, 0); /* as free */
	assert(!zero && none);
	free(none);
	early = realloc(early, 200);
	early[199] = 1;
	aligned_ones();
	usable_ones();
	from_libc();
	in_a_child();
	atexit(at_the_end);
	return 0;
}
