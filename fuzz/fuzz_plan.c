/* The text of a plan: what is read, saved and read again is the same. */
#include "fuzz_common.h"

#include "trace/plan.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_plan a, b;
	struct hd_errbuf eb;
	char path[64];
	int fd;

	if (hd_plan_parse(&a, (const char *)data, size, "fuzz", &eb) != HD_OK)
		return 0;
	fd = memfd_create("fuzz", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || hd_plan_save(&a, path, &eb) || !hd_plan_is(path) ||
	    hd_plan_load(&b, path, &eb) || a.n != b.n || a.loose != b.loose ||
	    a.run.argc != b.run.argc || a.run.nkeys != b.run.nkeys ||
	    a.run.start_time != b.run.start_time || !same_text(a.build_id, b.build_id) ||
	    !same_text(a.goal, b.goal) || !same_text(a.after, b.after) ||
	    (a.n && memcmp(a.entries, b.entries, a.n * sizeof(*a.entries))))
		abort();
	hd_plan_free(&a);
	hd_plan_free(&b);
	close(fd);
	return 0;
}
