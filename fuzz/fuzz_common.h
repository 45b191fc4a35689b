/*
 * What the fuzz targets share. Each target is one LLVMFuzzerTestOneInput: libFuzzer
 * calls it with what it invents, replay_main.c with the files of a corpus.
 */
#ifndef HD_FUZZ_COMMON_H
#define HD_FUZZ_COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/trace_chrome.h"
#include "trace/trace_std.h"
#include "trace/trace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef enum hd_err fuzz_import(const char *text, size_t len, const char *file,
				struct hd_trace_writer *w, struct hd_errbuf *eb);

/* Import @text, export it as text; NULL: it was refused. */
static inline char *fuzz_there_and_back(fuzz_import *import, const char *text, size_t len)
{
	const struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;
	struct hd_trace *t;
	struct hd_errbuf eb;
	char *out = NULL;
	size_t outlen;
	FILE *f;
	int fd = memfd_create("fuzz", 0);
	char path[64];

	if (fd < 0 || import(text, len, "fuzz", NULL, &eb) != HD_OK) {
		close(fd);
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	f = open_memstream(&out, &outlen);
	if (!f || hd_trace_create(&w, path, &meta, &eb) || import(text, len, "fuzz", w, &eb) ||
	    hd_trace_finish(w, NULL, &eb) || hd_trace_open(&t, path, &eb) ||
	    hd_text_export(t, f, NULL, true, &eb))
		abort(); /* what was accepted must be written and read */
	hd_trace_close(t);
	fclose(f);
	close(fd);
	return out;
}

/* What was accepted and exported is accepted again, and gives the same. */
static inline void fuzz_check_inverse(fuzz_import *import, const uint8_t *data, size_t size)
{
	char *once = fuzz_there_and_back(import, (const char *)data, size), *twice;

	if (!once)
		return;
	twice = fuzz_there_and_back(hd_text_import, once, strlen(once));
	if (!twice || strcmp(once, twice) != 0)
		abort();
	free(once);
	free(twice);
}

#endif
