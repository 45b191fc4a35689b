/* Marks beside a trace: whatever is there, what was read, written and read again is the same. */
#include "fuzz_common.h"

#include "findings/marks.h"

/* Marks are found beside a trace, by name: a link of that name leads to a nameless file. */
static char trace[64];
static int file = -1;

static void make_link(void)
{
	char folder[] = "/tmp/heddle-fuzz-XXXXXX", link[64], target[64];

	file = memfd_create("marks", 0);
	if (file < 0 || !mkdtemp(folder))
		abort();
	snprintf(trace, sizeof(trace), "%s/x.htr", folder);
	snprintf(link, sizeof(link), "%s/x.marks", folder);
	snprintf(target, sizeof(target), "/proc/self/fd/%d", file);
	if (symlink(target, link) != 0)
		abort();
}

static void remove_link(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%.*s.marks", (int)strlen(trace) - 4, trace);
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
}

/* The link stays for the next input. */
static void fill(const uint8_t *data, size_t size)
{
	if (file < 0) {
		make_link();
		atexit(remove_link);
	}
	if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
		abort();
}

static void load(struct hd_marks *m)
{
	if (hd_marks_load(m, trace) != HD_OK)
		abort(); /* what is none of ours has no marks */
	for (size_t i = 0; i < m->n; i++) {
		if (!m->mark[i].role[0] || !memchr(m->mark[i].role, 0, sizeof(m->mark[i].role)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_marks once, twice;

	fill(data, size);
	load(&once);
	if (once.n) {
		if (hd_marks_save(&once, trace) != HD_OK)
			abort();
		load(&twice);
		if (once.n != twice.n ||
		    memcmp(once.mark, twice.mark, once.n * sizeof(*once.mark)) != 0)
			abort();
		hd_marks_free(&twice);
	}
	hd_marks_free(&once);
	return 0;
}
