/*
 * What came of something that did not fail.
 */
#ifndef HEDDLE_ENGINE_STATUS_H
#define HEDDLE_ENGINE_STATUS_H

enum hd_status {
	HD_STATUS_CLEAN,    /* nothing found, and everything was tried */
	HD_STATUS_FINDINGS, /* findings */
	HD_STATUS_STOPPED,  /* nothing found, but not everything was tried */
	HD_STATUS_DIVERGED, /* the program did not follow its schedule */
};

#endif
