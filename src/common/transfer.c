#include "transfer.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum way { READ, WRITE, SEND, READ_AT, WRITE_AT };

static ssize_t some(enum way way, int fd, char *p, size_t len, uint64_t at)
{
	switch (way) {
	case READ:
		return read(fd, p, len);
	case WRITE:
		return write(fd, p, len);
	case SEND:
		return send(fd, p, len, MSG_NOSIGNAL);
	case READ_AT:
		return pread(fd, p, len, (off_t)at);
	case WRITE_AT:
		return pwrite(fd, p, len, (off_t)at);
	}
	return -1;
}

static bool all(enum way way, int fd, char *p, size_t len, uint64_t at)
{
	while (len) {
		ssize_t n = some(way, fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool hd_read_all(int fd, void *bytes, size_t len)
{
	return all(READ, fd, bytes, len, 0);
}

bool hd_write_all(int fd, const void *bytes, size_t len)
{
	return all(WRITE, fd, (char *)bytes, len, 0);
}

bool hd_send_all(int fd, const void *bytes, size_t len)
{
	return all(SEND, fd, (char *)bytes, len, 0);
}

bool hd_read_all_at(int fd, void *bytes, size_t len, uint64_t at)
{
	return all(READ_AT, fd, bytes, len, at);
}

bool hd_write_all_at(int fd, const void *bytes, size_t len, uint64_t at)
{
	return all(WRITE_AT, fd, (char *)bytes, len, at);
}
