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

struct text {
	char *at;
	size_t len;
};

/* All of an open file, or what can be read of it. */
static bool read_text(int fd, size_t size, struct text *out)
{
	out->at = malloc(size + 1);
	while (out->at && out->len < size) {
		ssize_t got = read(fd, out->at + out->len, size - out->len);

		if (got <= 0)
			break;
		out->len += (size_t)got;
	}
	return out->at;
}

/* A trace may name anything as a source: pipes and devices are not opened for reading. */
static bool read_source(const struct hd_frame *frame, struct text *out)
{
	int fd = open(hd_source_path(frame), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= BYTES_MAX &&
	     !is_newer(&st, frame->module) && read_text(fd, (size_t)st.st_size, out);
	close(fd);
	return ok;
}

/* The beginning of line @number; NULL: there is none. */
static const char *find_line(const char *at, const char *end, uint32_t number)
{
	for (; at && at < end && number > 1; number--) {
		at = memchr(at, '\n', (size_t)(end - at));
		at += at != NULL;
	}
	return at && at < end ? at : NULL;
}

bool hd_source_line(const struct hd_frame *frame, char *buf, size_t len)
{
	struct text text = { 0 };
	const char *at, *end;
	size_t n = 0;

	if (!frame->file || !frame->line || !read_source(frame, &text))
		return false;
	end = text.at + text.len;
	for (at = find_line(text.at, end, frame->line); at && at < end && *at != '\n'; at++) {
		if ((!n && isspace((unsigned char)*at)) || n + 1 >= len)
			continue;
		buf[n++] = *at == '\t' ? ' ' : *at;
	}
	free(text.at);
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
