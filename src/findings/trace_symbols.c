#include "trace_symbols.h"

#include <stdio.h>
#include <string.h>

#include "common/path.h"

static bool name_location(void *arg, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	return hd_symbols_data(arg, addr, size, buf, len);
}

static bool name_object(void *arg, uint64_t addr, char *buf, size_t len)
{
	return hd_symbols_data(arg, addr, 0, buf, len);
}

/* The last part of a path: positions are for reading along, not for opening files. */
static bool name_site(void *arg, uint64_t pc, const char **file, uint32_t *line)
{
	struct hd_frame frame;

	if (!hd_symbols_code(arg, pc, &frame, 1) || !frame.file || !frame.line)
		return false;
	*file = hd_base_name(frame.file);
	*line = frame.line;
	return true;
}

/* Modules come before the code that runs in them, but more may be loaded at any time. */
static enum hd_err add_modules(struct hd_trace *t, struct hd_symbols *s, bool *any)
{
	const struct hd_event *ev;
	size_t n;

	do {
		enum hd_err err = hd_trace_next(t, &ev, &n, NULL);

		if (err != HD_OK)
			break; /* damage is told by whoever reads for content */
		for (size_t i = 0; i < n; i++) {
			const char *path =
				ev[i].op == HD_OP_MODULE ? hd_trace_string(t, ev[i].value2) : NULL;

			if (!path)
				continue;
			hd_symbols_add_module(s, path, ev[i].addr, ev[i].value,
					      hd_trace_build_id(t, ev[i].addr));
			*any = true;
		}
	} while (n);
	hd_trace_rewind(t);
	return HD_OK;
}

enum hd_err hd_trace_symbols(struct hd_trace *t, struct hd_symbols **out,
			     struct hd_name_source *names, struct hd_errbuf *eb)
{
	struct hd_symbols *s;
	bool any = false;

	*out = NULL;
	*names = (struct hd_name_source){ 0 };
	if (hd_trace_argc(t) == 0)
		return HD_OK;
	if (hd_symbols_new(&s) != HD_OK)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for names");
	add_modules(t, s, &any);
	if (!any) {
		hd_symbols_free(s);
		return HD_OK;
	}
	*out = s;
	*names = (struct hd_name_source){
		.arg = s, .location = name_location, .object = name_object, .site = name_site
	};
	return HD_OK;
}
