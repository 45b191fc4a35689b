#include "source_lines.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* A trace may name anything as a source: pipes and devices are not opened for reading. */
static FILE *open_source(const struct hd_frame *frame)
{
	int fd = open(frame->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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
