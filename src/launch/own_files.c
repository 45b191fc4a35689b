#include "own_files.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char stands_here;

const char *hd_path_self(void)
{
	static char path[PATH_MAX];

	if (!path[0]) {
		ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

		if (n <= 0)
			return NULL;
		path[n] = 0;
	}
	return path;
}

/* The first of @tails, taken from the folder of @self, under which @file exists; as an absolute path. */
static const char *find_from(const char *self, char out[PATH_MAX], const char *const tails[],
			     const char *file)
{
	if (!self || !strchr(self, '/'))
		return NULL;
	for (int i = 0; tails[i]; i++) {
		char try[PATH_MAX + 64];
		int dir = (int)(strrchr(self, '/') - self);

		snprintf(try, sizeof(try), "%.*s/%s/%s", dir, self, tails[i], file);
		if (access(try, R_OK) != 0)
			continue;
		snprintf(try, sizeof(try), "%.*s/%s", dir, self, tails[i]);
		if (realpath(try, out))
			return out;
	}
	return NULL;
}

/* Beside this command; or, in another program, beside the library that this is in. */
static const char *find_beside(char out[PATH_MAX], const char *const tails[], const char *file)
{
	const char *found = find_from(hd_path_self(), out, tails, file);
	Dl_info own;

	if (!found && dladdr(&stands_here, &own))
		found = find_from(own.dli_fname, out, tails, file);
	return found;
}

const char *hd_path_libdir(void)
{
	static char path[PATH_MAX];
	static const char *const tails[] = { ".", "heddle", "../lib/heddle",
					     "../" HD_LIBDIR "/heddle", NULL };

	return find_beside(path, tails, "libheddle.so");
}

const char *hd_path_valgrind(void)
{
	static char path[PATH_MAX];
	static const char *const tails[] = { "src/correlate", "../lib/heddle/valgrind",
					     "../" HD_LIBDIR "/heddle/valgrind", NULL };

	return find_beside(path, tails, "heddle-amd64-linux");
}

const char *hd_path_gdb(void)
{
	static char path[PATH_MAX + 16];
	static const char *const tails[] = { ".", "heddle", "../lib/heddle",
					     "../" HD_LIBDIR "/heddle", NULL };
	char folder[PATH_MAX];

	if (!find_beside(folder, tails, "heddle-gdb.py"))
		return NULL;
	snprintf(path, sizeof(path), "%s/heddle-gdb.py", folder);
	return path;
}

const char *hd_path_include(void)
{
	static char path[PATH_MAX];
	static const char *const tails[] = { "include", "../include", NULL };

	return find_beside(path, tails, "heddle/heddle.h");
}
