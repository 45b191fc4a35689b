#include "between.h"

#include <fcntl.h>

#include "runtime/io/io.h"
#include "runtime/sys.h"

enum sharing { PRIVATE, SHARED, SHARED_FILE };

/* What is known of address ranges. One that was mapped anew may be judged as before. */
#define RANGES 32u
static struct range {
	uintptr_t first, end;
	enum sharing sharing;
} ranges[RANGES];
static unsigned next_range;

static uintptr_t hex(const char **at)
{
	uintptr_t v = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v * 16 + (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v * 16 + (uintptr_t)(c - 'a' + 10);
		else
			return v;
	}
}

static bool has(const char *line, const char *end, const char *word)
{
	for (; line < end; line++) {
		const char *a = line, *b = word;

		while (*b && a < end && *a == *b)
			a++, b++;
		if (!*b)
			return true;
	}
	return false;
}

/* "7f..-7f.. rw-s 00000000 00:01 1026 /dev/zero (deleted)", which is memory without a file */
static bool read_line(const char *line, const char *end, uintptr_t addr, struct range *out)
{
	const char *p = line;

	out->first = hex(&p);
	p += *p == '-';
	out->end = hex(&p);
	if (addr < out->first || addr >= out->end)
		return false;
	out->sharing = end - p < 5 || p[4] != 's'	    ? PRIVATE
		       : has(p, end, "/dev/zero (deleted)") ? SHARED
							    : SHARED_FILE;
	return true;
}

static bool look_up(uintptr_t addr, struct range *out)
{
	static char buf[16384];
	long fd = hd_sys(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	long have = 0;
	bool found = false;

	while (fd >= 0 && !found &&
	       (n = hd_sys(SYS_read, fd, buf + have, (long)sizeof(buf) - have)) > 0) {
		long line = 0;

		have += n;
		for (long i = 0; i < have && !found; i++) {
			if (buf[i] != '\n')
				continue;
			found = read_line(buf + line, buf + i, addr, out);
			line = i + 1;
		}
		for (long i = line; i < have; i++)
			buf[i - line] = buf[i];
		have -= line;
	}
	if (fd >= 0)
		hd_sys(SYS_close, fd);
	return found;
}

static enum sharing sharing_of(uintptr_t addr)
{
	struct range new;

	for (unsigned i = 0; i < RANGES; i++) {
		if (addr >= ranges[i].first && addr < ranges[i].end)
			return ranges[i].sharing;
	}
	if (!look_up(addr, &new))
		return PRIVATE;
	ranges[next_range++ % RANGES] = new;
	return new.sharing;
}

bool hd_rt_is_shared(uintptr_t addr)
{
	return sharing_of(addr) != PRIVATE;
}

void hd_rt_between_pause(const void *object)
{
	hd_rt_io_pause(hd_rt.cur, (uintptr_t)object);
}

static bool waits_between(const struct fiber *f)
{
	enum sharing s;

	switch (f->wait.why) {
	case HD_TS_MUTEX:
	case HD_TS_SEM:
	case HD_TS_RWLOCK_READ:
	case HD_TS_RWLOCK_WRITE:
	case HD_TS_SPIN:
	case HD_TS_COND:
	case HD_TS_FUTEX:
		s = f->state == HD_F_BLOCKED ? sharing_of(f->wait.addr) : PRIVATE;
		return s == SHARED_FILE || (s == SHARED && hd_rt_has_relatives);
	default:
		return false;
	}
}

bool hd_rt_between_waits(void)
{
	bool any = false;

	for (struct fiber *f = hd_rt.all; f; f = f->next) {
		if (!waits_between(f))
			continue;
		hd_rt_wake(f, HD_WOKEN);
		any = true;
	}
	if (any) {
		hd_rt_signals_pace(1000000);
		hd_rt_progress();
	}
	return any;
}
