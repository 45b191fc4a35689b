#include "behind.h"

#include <aio.h>
#include <errno.h>
#include <netdb.h>

#include "runtime/real.h"
#include "runtime/rt.h"
#include "runtime/sys.h"

/* What was asked for and may not be done yet. More than these are taken to be under way for ever. */
#define REQUESTS 64u
static const struct aiocb *reads[REQUESTS];
static struct gaicb *lookups[REQUESTS];
static unsigned nreads, nlookups;
static bool never_known;

static bool read_goes_on(const struct aiocb *cb)
{
	return HD_REAL(aio_error)(cb) == EINPROGRESS;
}

static void note_read(const struct aiocb *cb)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nreads; i++) {
		if (read_goes_on(reads[i]))
			reads[n++] = reads[i];
	}
	nreads = n;
	if (nreads < REQUESTS)
		reads[nreads++] = cb;
	else
		never_known = true;
}

bool hd_rt_behind_works(void)
{
	bool any = never_known;

	for (unsigned i = 0; i < nreads && !any; i++)
		any = read_goes_on(reads[i]);
	for (unsigned i = 0; i < nlookups && !any; i++)
		any = HD_REAL(gai_error)(lookups[i]) == EAI_INPROGRESS;
	if (any || nreads || nlookups) {
		/* One that has just been done changes what a loop sees: it is looked at once more. */
		if (!any)
			nreads = nlookups = 0;
		hd_rt_signals_pace(1000000);
		hd_rt_progress();
		return true;
	}
	return false;
}

static void tell(const char *who)
{
	hd_rt_settle();
	hd_rt_outside("work that libc's own threads do for the program");
	hd_rt_drop(who);
}

#define AIO(name, suffix, why)                                                                     \
	HD_EXPORT int name##suffix(struct aiocb##suffix *cb)                                       \
	{                                                                                          \
		int r = HD_REAL(name##suffix)(cb);                                                 \
                                                                                                   \
		if (r == 0 && hd_rt_enter(HD_CALLER)) {                                            \
			tell(why);                                                                 \
			note_read((const struct aiocb *)cb);                                       \
		}                                                                                  \
		return r;                                                                          \
	}
AIO(aio_read, , "aio_read: a thread of libc's own does it, unseen")
AIO(aio_write, , "aio_write: a thread of libc's own does it, unseen")
AIO(aio_read, 64, "aio_read: a thread of libc's own does it, unseen")
AIO(aio_write, 64, "aio_write: a thread of libc's own does it, unseen")

HD_EXPORT int getaddrinfo_a(int mode, struct gaicb *list[restrict], int n,
			    struct sigevent *restrict event)
{
	int r = HD_REAL(getaddrinfo_a)(mode, list, n, event);

	if (r != 0 || mode != GAI_NOWAIT || !hd_rt_enter(HD_CALLER))
		return r;
	tell("getaddrinfo_a: a thread of libc's own does it, unseen");
	for (int i = 0; i < n; i++) {
		if (list[i] && nlookups < REQUESTS)
			lookups[nlookups++] = list[i];
		else if (list[i])
			never_known = true;
	}
	return r;
}

/* ---- io_uring -------------------------------------------------------------- */

void hd_rt_behind_call(long nr, const long *a)
{
	if (nr != SYS_io_uring_setup)
		return;
	tell("io_uring: the kernel does it, unseen");
	never_known = true;
}
