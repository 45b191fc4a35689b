#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (256u << 20)

enum hd_err hd_read_whole(const char *path, char **text, size_t *len, struct hd_errbuf *eb)
{
	FILE *in = fopen(path, "re");
	size_t cap = 0, n = 0, got;
	char *buf = NULL;
	enum hd_err err;

	if (!in)
		return hd_fail(eb, HD_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	do {
		char *more = n + 1 >= cap ? realloc(buf, cap = cap ? 2 * cap : 4096) : buf;

		if (!more || n > BYTES_MAX) {
			err = hd_fail(eb, more ? HD_ERR_LIMIT : HD_ERR_NOMEM,
				      "'%s' is too long to be read", path);
			buf = more ? more : buf;
			goto failed;
		}
		buf = more;
		got = fread(buf + n, 1, cap - n - 1, in);
		n += got;
	} while (got);
	if (ferror(in)) {
		err = hd_fail(eb, HD_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
		goto failed;
	}
	fclose(in);
	buf[n] = 0;
	*text = buf;
	*len = n;
	return HD_OK;
failed:
	fclose(in);
	free(buf);
	return err;
}
