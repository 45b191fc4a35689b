/*
 * Mutual exclusion: critical, atomic where the compiler cannot, and the locks of omp.h.
 *
 * A lock is four bytes in the program's memory, the number of the task that holds it (0: nobody),
 * as for a spin lock of ours; a nestable one has a count behind it. So an object that was
 * copied or is in zeroed memory means what it looks like.
 */
#include "omp_iteration.h"

#include "runtime/observe/findings.h"
#include "runtime/sync/mutex.h"
#include "runtime/thread/thread.h"

static int omp_critical, omp_atomic;

static bool is_free(const int *lock)
{
	return *lock == 0;
}

/* What analyses know a lock by. Atomics exclude all others. */
static uintptr_t known_as(const int *lock)
{
	const struct omp_task *me = hd_rt.cur->omp;

	if (lock == &omp_atomic || !me || me->team->nteams < 2)
		return (uintptr_t)lock;
	return (uintptr_t)lock | ((uintptr_t)me->team->team_num + 1) << HD_LEAGUE_SHIFT;
}

static void take(int *lock, uint16_t how)
{
	*lock = (int)hd_rt.cur->id;
	hd_rt.soft_progress++;
	hd_rt_disable(HD_TS_OMP_LOCK, (uintptr_t)lock);
	hd_rt_held_add(known_as(lock), HD_LOCK_OMP);
	hd_rt_event(HD_OP_ACQUIRE, known_as(lock), 0, HD_LOCK_OMP | how);
}

/*
 * Locks of omp.h are in practice given back by others than those who set them: who waits for one that it
 * holds itself is at a standstill only when nobody is left to unset it. A critical section ends where it began.
 */
static void set(int *lock, bool scoped)
{
	hd_rt_point_before(HD_TS_OMP_LOCK, (uintptr_t)lock);
	while (!is_free(lock)) {
		if (scoped)
			hd_rt_check_cycle((uint32_t)*lock, HD_TS_OMP_LOCK, (uintptr_t)lock);
		hd_rt_block(HD_TS_OMP_LOCK, (uintptr_t)lock, HD_NEVER);
	}
	take(lock, 0);
	hd_omp_thread_chosen(hd_rt.cur->omp);
}

static void unset(int *lock, const char *what)
{
	hd_rt_point();
	if (*lock != (int)hd_rt.cur->id) {
		if (is_free(lock)) {
			hd_rt_misuse((uintptr_t)lock, "%s that is not set", what);
			return;
		}
		hd_rt_misuse((uintptr_t)lock, "%s that T%d has set", what, *lock);
		hd_rt_disown(*lock, (uintptr_t)lock);
	}
	hd_rt_event(HD_OP_RELEASE, known_as(lock), 0, HD_LOCK_OMP);
	hd_rt_held_remove(known_as(lock));
	*lock = 0;
	hd_rt.soft_progress++;
	hd_rt_enable(HD_TS_OMP_LOCK, (uintptr_t)lock);
}

/* ---- critical and atomic ------------------------------------------------------------------ */

void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **name);
void GOMP_critical_name_end(void **name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

HD_EXPORT void GOMP_critical_start(void)
{
	if (hd_omp_enter(HD_CALLER))
		set(&omp_critical, true);
}

HD_EXPORT void GOMP_critical_end(void)
{
	if (hd_omp_enter(HD_CALLER))
		unset(&omp_critical, "the end of critical");
}

HD_EXPORT void GOMP_critical_name_start(void **name)
{
	if (hd_omp_enter(HD_CALLER))
		set((int *)name, true);
}

HD_EXPORT void GOMP_critical_name_end(void **name)
{
	if (hd_omp_enter(HD_CALLER))
		unset((int *)name, "the end of critical");
}

HD_EXPORT void GOMP_atomic_start(void)
{
	if (hd_omp_enter(HD_CALLER))
		set(&omp_atomic, true);
}

HD_EXPORT void GOMP_atomic_end(void)
{
	if (hd_omp_enter(HD_CALLER))
		unset(&omp_atomic, "the end of atomic");
}

/* ---- locks ----------------------------------------------------------------------------------- */

struct nest_lock {
	int owner, count;
};

void omp_init_lock(int *lock);
void omp_init_lock_with_hint(int *lock, int hint);
void omp_destroy_lock(int *lock);
void omp_set_lock(int *lock);
void omp_unset_lock(int *lock);
int omp_test_lock(int *lock);
void omp_init_nest_lock(struct nest_lock *lock);
void omp_destroy_nest_lock(struct nest_lock *lock);
void omp_set_nest_lock(struct nest_lock *lock);
void omp_unset_nest_lock(struct nest_lock *lock);
int omp_test_nest_lock(struct nest_lock *lock);
/* Calls whose result nobody looks at: cc/omp_tests.h. */
int hd_unheeded_omp_test_lock(int *lock);
int hd_unheeded_omp_test_nest_lock(struct nest_lock *lock);

HD_EXPORT void omp_init_lock(int *lock)
{
	*lock = 0;
	if (hd_omp_enter(HD_CALLER))
		hd_rt_event(HD_OP_LOCK_INIT, (uintptr_t)lock, 0, HD_LOCK_OMP);
}

HD_EXPORT void omp_destroy_lock(int *lock)
{
	if (!hd_omp_enter(HD_CALLER))
		return;
	hd_rt_point();
	if (!is_free(lock))
		hd_rt_misuse((uintptr_t)lock, "omp_destroy_lock of a lock that T%d has set", *lock);
	hd_rt_event(HD_OP_LOCK_DESTROY, (uintptr_t)lock, 0, HD_LOCK_OMP);
}

HD_EXPORT void omp_set_lock(int *lock)
{
	if (hd_omp_enter(HD_CALLER))
		set(lock, false);
	else
		*lock = 1;
}

HD_EXPORT void omp_unset_lock(int *lock)
{
	if (hd_omp_enter(HD_CALLER))
		unset(lock, "omp_unset_lock of a lock");
	else
		*lock = 0;
}

static bool try_lock(int *lock, uint16_t how)
{
	hd_rt_point();
	if (is_free(lock)) {
		take(lock, HD_LOCK_TRY | how);
		hd_omp_thread_chosen(hd_rt.cur->omp);
		return true;
	}
	hd_rt_event(HD_OP_ACQUIRE_FAIL, known_as(lock), 16, HD_LOCK_OMP | HD_LOCK_TRY);
	hd_rt_spin();
	return false;
}

static int test(int *lock, uint16_t how, uintptr_t caller)
{
	if (hd_omp_enter(caller))
		return try_lock(lock, how);
	if (*lock)
		return 0;
	*lock = 1;
	return 1;
}

HD_EXPORT int omp_test_lock(int *lock)
{
	return test(lock, 0, HD_CALLER);
}

HD_EXPORT int hd_unheeded_omp_test_lock(int *lock)
{
	return test(lock, HD_LOCK_UNHEEDED, HD_CALLER);
}

HD_EXPORT void omp_init_nest_lock(struct nest_lock *lock)
{
	lock->owner = lock->count = 0;
	if (hd_omp_enter(HD_CALLER))
		hd_rt_event(HD_OP_LOCK_INIT, (uintptr_t)lock, 1, HD_LOCK_OMP);
}

HD_EXPORT void omp_destroy_nest_lock(struct nest_lock *lock)
{
	hd_omp_enter(HD_CALLER);
	omp_destroy_lock(&lock->owner);
}

static bool again(struct nest_lock *lock, uint16_t how)
{
	if (lock->owner != (int)hd_rt.cur->id)
		return false;
	hd_rt_event(HD_OP_ACQUIRE, known_as(&lock->owner), 0, HD_LOCK_OMP | HD_LOCK_AGAIN | how);
	return true;
}

HD_EXPORT void omp_set_nest_lock(struct nest_lock *lock)
{
	if (hd_omp_enter(HD_CALLER) && !again(lock, 0))
		set(&lock->owner, false);
	lock->count++;
}

static int test_nest(struct nest_lock *lock, uint16_t how, uintptr_t caller)
{
	if (hd_omp_enter(caller) && !again(lock, HD_LOCK_TRY) && !try_lock(&lock->owner, how))
		return 0;
	return ++lock->count;
}

HD_EXPORT int omp_test_nest_lock(struct nest_lock *lock)
{
	return test_nest(lock, 0, HD_CALLER);
}

HD_EXPORT int hd_unheeded_omp_test_nest_lock(struct nest_lock *lock)
{
	return test_nest(lock, HD_LOCK_UNHEEDED, HD_CALLER);
}

HD_EXPORT void omp_unset_nest_lock(struct nest_lock *lock)
{
	bool ours = hd_omp_enter(HD_CALLER);

	if (lock->count > 1 && (!ours || lock->owner == (int)hd_rt.cur->id)) {
		lock->count--;
		if (ours)
			hd_rt_event(HD_OP_RELEASE, known_as(&lock->owner), 0,
				    HD_LOCK_OMP | HD_LOCK_AGAIN);
		return;
	}
	lock->count = 0;
	if (ours)
		unset(&lock->owner, "omp_unset_nest_lock of a lock");
}
