#include "maps.h"

#include <fcntl.h>
#include <stddef.h>

#include "arena.h"
#include "runtime/sys.h"

static uint64_t hex(const char **p)
{
	uint64_t v = 0;

	for (;; ++*p) {
		if (**p >= '0' && **p <= '9')
			v = 16 * v + (uint64_t)(**p - '0');
		else if (**p >= 'a' && **p <= 'f')
			v = 16 * v + (uint64_t)(**p - 'a') + 10;
		else
			return v;
	}
}

/* "start-end perms offset device inode path" up to @end, where a line feed is. */
static struct hd_mapping parse(const char *p, const char *end)
{
	struct hd_mapping m = { .start = hex(&p) };

	p++;
	m.end = hex(&p);
	p++;
	m.readable = p[0] == 'r';
	m.writable = p[1] == 'w';
	m.shared = p[3] == 's';
	p += 5;
	m.offset = hex(&p);
	p++;
	m.device = hex(&p) << 32;
	p++;
	m.device |= hex(&p);
	p++;
	m.file = *p != '0';
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		m.inode = 10 * m.inode + (uint64_t)(*p - '0');
	while (p < end && *p == ' ')
		p++;
	m.name = p;
	m.name_end = end;
	return m;
}

bool hd_rt_each_mapping(bool (*each)(const struct hd_mapping *m, void *arg), void *arg)
{
	static char buf[2 * 4096]; /* a line is shorter than half of it */
	long fd = hd_sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;
	size_t have = 0;
	bool more = true, ok = fd >= 0;

	while (ok && more && (got = hd_sys(SYS_read, fd, buf + have, sizeof(buf) / 2)) > 0) {
		size_t begin = 0;

		have += (size_t)got;
		for (size_t i = 0; i < have && more; i++) {
			if (buf[i] == '\n') {
				struct hd_mapping m = parse(buf + begin, buf + i);

				more = each(&m, arg);
				begin = i + 1;
			}
		}
		hd_rt_copy(buf, buf + begin, have - begin);
		have -= begin;
		ok = have < sizeof(buf) / 2;
	}
	if (fd >= 0)
		hd_sys(SYS_close, fd);
	return ok;
}
