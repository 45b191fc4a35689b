#include "trace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/whole_file.h"
#include "trace/trace_format.h"
#include "trace/trace_std.h"
#include "trace/trace_text.h"

#define HEAD 4096 /* bytes that are enough to tell what a file is */

/* A file of a schedule or a plan is text as well, and has a sentence of its own. */
static bool is_text(const char *head, size_t len)
{
	if (!len || !strncmp(head, HD_TRACE_MAGIC, sizeof(HD_TRACE_MAGIC) - 1) ||
	    !strncmp(head, "heddle-", 7))
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)head[i];

		if (c < ' ' && c != '\n' && c != '\t' && c != '\r')
			return false;
	}
	return true;
}

/* STD has bars in its first line that is neither empty nor a comment; the text form never. */
static bool is_std(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), blank = strspn(text, " \t\r");

		if (blank < len && text[blank] != '#')
			return memchr(text, '|', len) != NULL;
		text += len + (text[len] == '\n');
	}
	return false;
}

static enum hd_err import(struct hd_trace **out, const char *path, const char *text, size_t len,
			  struct hd_errbuf *eb)
{
	bool std = is_std(text);
	const char *key = "source", *value = std ? "std" : "text";
	const struct hd_trace_meta meta = { .keys = &key, .values = &value, .nkeys = 1 };
	const struct hd_trace_end end = { .exited = -1 };
	int fd = memfd_create("heddle-import", MFD_CLOEXEC);
	int back = fd < 0 ? -1 : dup(fd);
	struct hd_trace_writer *w;
	char name[64];
	enum hd_err err;

	if (back < 0) {
		if (fd >= 0)
			close(fd);
		return hd_fail(eb, HD_ERR_IO, "no memory file for %s: %s", path, strerror(errno));
	}
	err = hd_trace_create_fd(&w, fd, path, &meta, eb);
	if (!err) {
		err = (std ? hd_std_import : hd_text_import)(text, len, path, w, eb);
		if (err)
			hd_trace_finish(w, NULL, NULL);
		else
			err = hd_trace_finish(w, &end, eb);
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", back);
	if (!err)
		err = hd_trace_open(out, name, eb);
	close(back);
	return err;
}

enum hd_err hd_trace_input(struct hd_trace **out, const char *path, struct hd_errbuf *eb)
{
	char head[HEAD], *text;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
	enum hd_err err;
	size_t len;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || !is_text(head, (size_t)n))
		return hd_trace_open(out, path, eb); /* which knows what to say of it */
	err = hd_read_whole(path, 0, &text, &len, eb);
	if (err)
		return err;
	err = import(out, path, text, len, eb);
	free(text);
	return err;
}
