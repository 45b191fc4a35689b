/*
 * Lifts in a tall building: people arrive on the floors, two lifts go up and down and take them
 * where they want to go. Each floor has its lock, and so have the controls. The program is
 * correct: prediction has work here, but there is nothing to find.
 *
 *   elevator [PEOPLE]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define FLOORS 48
#define LIFTS  2
#define SPACE  6 /* people in a lift */
#define ROOM   4 /* people who wait on a floor to go up, and as many to go down */

enum { UP, DOWN };

struct queue {
	int to[ROOM];
	int count;
};

static struct level {
	pthread_mutex_t lock;
	struct queue waiting[2];
	int arrived;
} level[FLOORS];

static struct {
	pthread_mutex_t lock;
	int delivered, people;
} controls = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct lift {
	int to[SPACE];
	int count;
	int stops;
};

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;
static int lifts_done, stops_made;

/* False: there is no room on that floor now. */
static int arrive(int from, int to)
{
	struct queue *q = &level[from].waiting[to > from ? UP : DOWN];
	int room;

	pthread_mutex_lock(&level[from].lock);
	room = q->count < ROOM;
	if (room)
		q->to[q->count++] = to;
	pthread_mutex_unlock(&level[from].lock);
	return room;
}

static int leave(struct lift *l, int floor)
{
	int kept = 0, left;

	for (int i = 0; i < l->count; i++)
		if (l->to[i] != floor)
			l->to[kept++] = l->to[i];
	left = l->count - kept;
	l->count = kept;
	return left;
}

/* Let people out and in; how many got out. */
static int stop_at(struct lift *l, int floor, int direction)
{
	struct level *here = &level[floor];
	struct queue *q = &here->waiting[direction];
	int left = leave(l, floor);

	pthread_mutex_lock(&here->lock);
	if (left)
		here->arrived += left;
	while (q->count > 0 && l->count < SPACE)
		l->to[l->count++] = q->to[--q->count];
	pthread_mutex_unlock(&here->lock);
	l->stops += left > 0;
	return left;
}

static int all_delivered(int more)
{
	int all;

	pthread_mutex_lock(&controls.lock);
	if (more)
		controls.delivered += more;
	all = controls.delivered == controls.people;
	pthread_mutex_unlock(&controls.lock);
	return all;
}

static void *run_lift(void *arg)
{
	struct lift lift = {.count = 0};
	int delivered = 0;

	while (!all_delivered(delivered)) {
		delivered = 0;
		for (int floor = 0; floor < FLOORS; floor++)
			delivered += stop_at(&lift, floor, UP);
		for (int floor = FLOORS - 1; floor >= 0; floor--)
			delivered += stop_at(&lift, floor, DOWN);
	}
	pthread_mutex_lock(&report_lock);
	lifts_done++;
	stops_made += lift.stops;
	pthread_mutex_unlock(&report_lock);
	return arg;
}

static void people_come(int people)
{
	unsigned draw = 1;

	while (people > 0) {
		int from, to;

		draw = draw * 1103515245 + 12345;
		from = (int)(draw >> 16) % FLOORS;
		draw = draw * 1103515245 + 12345;
		to = (int)(draw >> 16) % FLOORS;
		if (from != to && arrive(from, to))
			people--;
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[LIFTS];
	int arrived = 0;

	controls.people = argc > 1 ? atoi(argv[1]) : 700;
	for (int i = 0; i < FLOORS; i++)
		pthread_mutex_init(&level[i].lock, NULL);
	for (int i = 0; i < LIFTS; i++)
		if (pthread_create(&thread[i], NULL, run_lift, NULL))
			return 2;
	people_come(controls.people);
	for (int i = 0; i < LIFTS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < FLOORS; i++)
		arrived += level[i].arrived;
	printf("elevator: %d lifts brought %d people\n", lifts_done, arrived);
	return arrived != controls.people;
}
