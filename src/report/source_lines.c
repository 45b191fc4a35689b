#include "source_lines.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"

#define BYTES_MAX (8u << 20) /* a file in which lines are looked for */

/* Source changed after it was built? Where the program is gone, nobody knows. */
static bool is_newer(const struct stat *source, const char *module)
{
	struct stat built;

	if (!module || stat(module, &built) != 0)
		return false;
	if (source->st_mtim.tv_sec != built.st_mtim.tv_sec)
		return source->st_mtim.tv_sec > built.st_mtim.tv_sec;
	return source->st_mtim.tv_nsec > built.st_mtim.tv_nsec;
}

const char *hd_source_path(const struct hd_frame *frame)
{
	return frame->path && access(frame->path, F_OK) == 0 ? frame->path : frame->file;
}

/* A trace may name anything as a source: pipes and devices are not opened for reading. */
static FILE *open_source(const struct hd_frame *frame)
{
	int fd = open(hd_source_path(frame), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	FILE *in;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > BYTES_MAX ||
	    is_newer(&st, frame->module)) {
		close(fd);
		return NULL;
	}
	in = fdopen(fd, "r");
	if (!in)
		close(fd);
	return in;
}

bool hd_source_line(const struct hd_frame *frame, char *buf, size_t len)
{
	FILE *in = frame->file && frame->line ? open_source(frame) : NULL;
	size_t n = 0;
	uint32_t line = 1;
	int c = 0;

	if (!in)
		return false;
	while (line < frame->line && (c = getc(in)) != EOF)
		line += c == '\n';
	while (c != EOF && (c = getc(in)) != EOF && c != '\n') {
		if ((!n && isspace(c)) || n + 1 >= len)
			continue;
		buf[n++] = (char)(c == '\t' ? ' ' : c);
	}
	fclose(in);
	while (n && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n] = 0;
	return n > 0;
}

bool hd_source_files_have(const struct hd_source_files *files, const struct hd_frame *frame)
{
	return hd_texts_find(&files->names, frame->file, strlen(frame->file)) != 0;
}

bool hd_source_files_add(struct hd_source_files *files, const struct hd_frame *frame)
{
	char *path = strdup(hd_source_path(frame));

	if (!path || !HD_ROOM(files->paths, files->cap, files->names.count + 1) ||
	    !hd_texts_add(&files->names, frame->file, strlen(frame->file))) {
		free(path);
		return false;
	}
	files->paths[files->names.count - 1] = path;
	return true;
}

void hd_source_files_free(struct hd_source_files *files)
{
	for (size_t i = 0; i < files->names.count; i++)
		free(files->paths[i]);
	free(files->paths);
	hd_texts_free(&files->names);
}
