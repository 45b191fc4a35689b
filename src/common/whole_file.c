#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"

/* What is left of @fd, after which there is room for one byte more. */
static enum hd_err read_all(int fd, size_t most, char **text, size_t *len)
{
	size_t room = 0;

	for (;;) {
		ssize_t n;

		if (!HD_ROOM(*text, room, *len + 2))
			return HD_ERR_NOMEM;
		n = read(fd, *text + *len, room - *len - 1);
		if (n > 0)
			*len += (size_t)n;
		else if (!n)
			return HD_OK;
		else if (errno != EINTR)
			return HD_ERR_IO;
		if (most && *len > most)
			return HD_ERR_LIMIT;
	}
}

enum hd_err hd_read_whole(const char *path, size_t most, char **text, size_t *len,
			  struct hd_errbuf *eb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum hd_err err;

	*text = NULL;
	*len = 0;
	err = fd < 0 ? HD_ERR_IO : read_all(fd, most, text, len);
	if (err == HD_ERR_IO)
		hd_fail(eb, err, "cannot read '%s': %s", path, strerror(errno));
	else if (err)
		hd_fail(eb, err, "'%s' is too long to be read", path);
	if (fd >= 0)
		close(fd);
	if (err) {
		free(*text);
		*text = NULL;
	} else {
		(*text)[*len] = 0;
	}
	return err;
}
