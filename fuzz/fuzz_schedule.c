/* The text of a schedule: what is read, saved and read again is the same. */
#include "fuzz_common.h"

#include "trace/schedule_text.h"

/*
 * "T1 x200000000" is right, and a gigabyte: it would take seconds. What is more is refused at once.
 * Zeros may lead, and quoted digits may have backslashes before them.
 */
static bool asks_for_much(const char *text, size_t size)
{
	const uint64_t much = 10000, refused = 1ull << 28;

	for (const char *x = text, *end = text + size; (x = memchr(x, 'x', (size_t)(end - x)));) {
		uint64_t times = 0;

		for (x++; x < end && (*x == '\\' || (*x >= '0' && *x <= '9')); x++) {
			if (*x != '\\' && times <= refused)
				times = times * 10 + (uint64_t)(*x - '0');
		}
		if (times >= much && times <= refused)
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_schedule a, b;
	struct hd_errbuf eb;
	char path[64];
	int fd;

	if (!size || asks_for_much((const char *)data, size) ||
	    hd_schedule_parse(&a, (const char *)data, size, "fuzz", &eb) != HD_OK)
		return 0;
	fd = memfd_create("fuzz", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || hd_schedule_save(&a, path, &eb) || hd_schedule_load(&b, path, &eb) ||
	    a.argc != b.argc || a.nkeys != b.nkeys || a.nchoices != b.nchoices ||
	    a.start_time != b.start_time ||
	    (a.nchoices && memcmp(a.choices, b.choices, a.nchoices * sizeof(*a.choices))))
		abort();
	for (int i = 0; i < a.argc; i++) {
		if (strcmp(a.argv[i], b.argv[i]) != 0)
			abort();
	}
	hd_schedule_free(&a);
	hd_schedule_free(&b);
	close(fd);
	return 0;
}
