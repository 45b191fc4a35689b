/*
 * Code without hooks in the modules of a run.
 */
#include <stdlib.h>

#include "printable.h"
#include "run_model.h"

void hd_run_find_unhooked(struct hd_run *run)
{
	const char **paths;
	size_t n = 0;

	if (run->unhooked_known || !run->nmodules)
		return;
	paths = calloc(run->nmodules, sizeof(*paths));
	for (size_t i = 0; paths && i < run->nmodules; i++) {
		const char *path = hd_trace_string(run->trace, run->modules[i].path);

		if (path && path[0] == '/')
			paths[n++] = path;
	}
	run->unhooked_known = n && hd_unhooked_find(paths, n, &run->unhooked) == HD_OK;
	free(paths);
}

void hd_put_unhooked(FILE *out, const struct hd_unhooked *u)
{
	for (size_t i = 0; i < u->n; i++) {
		fputs(i ? ", " : ": ", out);
		hd_put_printable(out, u->names[i]);
	}
	if (u->more)
		fprintf(out, " and %zu more", u->more);
}
