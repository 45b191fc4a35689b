#include "trace_size.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace_format.h"

static bool read_at(int fd, uint64_t at, uint8_t *p, size_t len)
{
	return pread(fd, p, len, (off_t)at) == (ssize_t)len;
}

/* What the chunks unpack to, up to the first whose header cannot be read. */
static uint64_t unpacked_size(int fd)
{
	uint64_t at = HD_TRACE_HEADER_LEN, sum = 0;
	uint8_t head[HD_CHUNK_HEADER_LEN];
	struct hd_chunk_header h;

	if (!read_at(fd, 0, head, HD_TRACE_HEADER_LEN) ||
	    memcmp(head, HD_TRACE_MAGIC, sizeof(HD_TRACE_MAGIC) - 1) != 0)
		return 0;
	while (read_at(fd, at, head, sizeof(head)) && hd_chunk_header_get(head, &h)) {
		sum += h.raw + (h.kind == HD_CHUNK_EVENT ? HD_EVENT_LEAST * (uint64_t)h.count : 0);
		at += HD_CHUNK_HEADER_LEN + h.packed;
	}
	return sum;
}

enum hd_err hd_trace_check_size(const char *path, uint64_t bytes, struct hd_errbuf *eb)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t size = 0, unpacked = 0;
	struct stat st;

	if (fd < 0)
		return HD_OK;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		size = (uint64_t)st.st_size;
		unpacked = unpacked_size(fd);
	}
	close(fd);
	if (unpacked <= bytes || unpacked / HD_TRACE_RATIO <= size)
		return HD_OK;
	return hd_fail(eb, HD_ERR_LIMIT,
		       "'%s' has %" PRIu64 " bytes and unpacks to %" PRIu64
		       ", over %u times as much; --max-unpacked %" PRIu64 " reads it all the same",
		       path, size, unpacked, HD_TRACE_RATIO, unpacked);
}
