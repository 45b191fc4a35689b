/*
 * Where the value of a read can come from: the ties to choose from, for one read of a scene.
 */
#ifndef HD_PREDICT_SOURCES_H
#define HD_PREDICT_SOURCES_H

#include "scene.h"

enum hd_source_kind {
	HD_SOURCE_WRITE, /* a node */
	HD_SOURCE_START, /* what is there at the start; open: before anybody wrote */
	/* Open scenes, writes before the window: */
	HD_SOURCE_LAST,	 /* the last one of a thread */
	HD_SOURCE_OLDER, /* another one of a thread: then its window comes after the read */
	/* Open scenes, where nothing more is known: */
	HD_SOURCE_BEHIND, /* a write of a thread after the window */
	HD_SOURCE_BESIDE, /* a thread that has no nodes */
};

struct hd_source {
	uint8_t kind;	 /* enum hd_source_kind */
	uint32_t node;	 /* WRITE: the write; BEHIND: the last node of the thread */
	uint32_t thread; /* LAST, OLDER: of the scene */
	uint32_t tie;	 /* for the solver */
};

typedef bool hd_source_fn(void *arg, struct hd_source source);

/* Call @fn for each source that the read @node may have, until it says false. */
bool hd_sources_each(const struct hd_scene *s, uint32_t node, hd_source_fn *fn, void *arg);

#endif
