/*
 * Two threads change files and folders, each its own but for a counter in one, under a lock. The program
 * looks at its beginning whether everything is as test_files.py has made it: in every run it must be.
 * With the argument "order" it ends with status 3 if the second thread is first to count; with "crash"
 * it crashes in the middle then; with "before" it changes a file before there are threads.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *how;
static int first; /* who has counted first */

static int is(const char *path, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	if (f)
		fclose(f);
	return f && n == strlen(text) && !strcmp(buf, text);
}

static void write_to(const char *path, const char *mode, const char *text)
{
	FILE *f = fopen(path, mode);

	assert(f);
	fputs(text, f);
	fclose(f);
}

static void count(int who)
{
	pthread_mutex_lock(&lock);
	if (!first)
		first = who;
	write_to("counter", "a", who == 1 ? "1" : "2");
	pthread_mutex_unlock(&lock);
	if (first == 2 && !strcmp(how, "crash"))
		abort();
}

static void *one(void *arg)
{
	char name[] = "temp-XXXXXX";
	int fd = open("made", O_WRONLY | O_CREAT | O_EXCL, 0644);

	assert(fd >= 0);
	close(fd);
	close(mkstemp(name));
	assert(rename("old", "new") == 0);
	assert(mkdir("folder", 0755) == 0);
	write_to("folder/file", "w", "there");
	count(1);
	return arg;
}

static void *two(void *arg)
{
	int fd = open("kept", O_RDWR);

	assert(fd >= 0 && pwrite(fd, "XX", 2, 1) == 2);
	close(fd);
	assert(unlink("link") == 0 && symlink("elsewhere", "link") == 0);
	assert(remove("full/file") == 0 && rmdir("full") == 0);
	write_to("alias", "w", "written by its other name");
	write_to("pair", "a", "; more");
	assert(unlink("file") == 0 && mkdir("file", 0700) == 0);
	write_to("file/in", "w", "a file in what was a file");
	count(2);
	return arg;
}

int main(int argc, char **argv)
{
	struct stat st;
	char to[16] = "";
	pthread_t a, b;

	how = argc > 1 ? argv[1] : "";
	assert(is("kept", "abcdef") && is("old", "old") && is("full/file", "in it") && is("counter", ""));
	assert(stat("kept", &st) == 0 && st.st_mtime == 1000000000 && (st.st_mode & 07777) == 0640);
	assert(is("alias", "target") && is("twin", "of two names") && is("file", "a file"));
	assert(access("made", F_OK) && access("new", F_OK) && access("folder", F_OK));
	assert(readlink("link", to, sizeof(to) - 1) == 4 && !strcmp(to, "kept"));
	if (!strcmp(how, "before"))
		write_to("old", "w", "new");
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(is("kept", "aXXdef") && is("counter", first == 1 ? "12" : "21"));
	return !strcmp(how, "order") && first == 2 ? 3 : 0;
}
