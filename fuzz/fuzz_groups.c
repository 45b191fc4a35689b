/* A file of groups: what is read, written and read again is the same. */
#include "fuzz_common.h"

#include "trace/groups.h"

static char *written(const struct hd_groups *g)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	hd_groups_write(g, out);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_groups once, twice;
	struct hd_errbuf eb;
	char *a, *b;

	if (hd_groups_parse(&once, (const char *)data, size, "fuzz", &eb) != HD_OK)
		return 0;
	a = written(&once);
	if (hd_groups_parse(&twice, a, strlen(a), "fuzz", &eb) != HD_OK)
		abort();
	b = written(&twice);
	if (strcmp(a, b) != 0 || once.ngroups != twice.ngroups)
		abort();
	free(a);
	free(b);
	hd_groups_free(&once);
	hd_groups_free(&twice);
	return 0;
}
