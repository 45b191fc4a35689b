/*
 * Work that libc gives to threads of its own (aio_*, getaddrinfo_a). Here they are threads like the program's, made for
 * each request: what they touch is seen, and when they do it is the schedule's.
 */
#ifndef HD_RUNTIME_JOBS_H
#define HD_RUNTIME_JOBS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Requests that were made together, and what is to happen when the last is done. */
struct hd_job_group {
	uint32_t left;
	struct sigevent event;
};

struct hd_job {
	struct hd_job *next; /* among those that are not done, the oldest first */
	struct hd_job_group *group;
	void *request;			  /* the program's */
	void (*work)(struct hd_job *job); /* does it, and puts what came of it into the request */
	int descriptor; /* jobs with the same one come one after the other; -1: it has none */
	int what;	/* for work() */
	uintptr_t pc;	/* where it was asked for */
	int pid;
};

/* A group of @n, whose end is told as @event says (NULL: not at all). */
struct hd_job_group *hd_rt_job_group(uint32_t n, const struct sigevent *event);
/* Hand @job over, a copy of it; 0 or an errno. */
int hd_rt_job_start(const struct hd_job *job);
/* One of @group's is not to be: it could not be started. */
void hd_rt_job_left_out(struct hd_job_group *group);
/* Is a job with this descriptor (-1: any) not done? */
bool hd_rt_job_goes_on(int descriptor);
/* The program looks what became of @request: it is @done, or it looks in vain. */
void hd_rt_job_asked(const void *request, bool done);
/* Wait until another job is done or the deadline has come: 0, EAGAIN or EINTR. */
int hd_rt_job_wait(uint64_t deadline);

#endif
