/*
 * Arrays that grow: a pointer, a number of items and the room there is, as three variables of
 * whoever has the array. Zero-initialised ones are empty; free() frees them.
 *
 *	if (!HD_ROOM(list, room, n + 1))
 *		return HD_ERR_NOMEM;
 *	list[n++] = item;
 *
 * Room at least doubles, so that adding an item costs the same however many there are. A number of
 * items that @room or the memory cannot express is out of memory, too: nothing wraps around.
 * (The runtime has no realloc(): its own arrays grow by hd_rt_grow(). Analyses that are built into
 * it may use this: their realloc() is the arena's.)
 */
#ifndef HD_COMMON_ARRAY_H
#define HD_COMMON_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HD_ARRAY_FIRST 16u /* items of the first room ... */
#define HD_ARRAY_BYTES                                                                             \
	4096u /* ... if they are small: it has no more bytes, but one item at least */

/* The room to have for @need items of @size bytes where there is @room; 0: there cannot be. */
static inline size_t hd_array_more(size_t room, size_t need, size_t size, size_t most)
{
	size_t few = size < HD_ARRAY_BYTES ? HD_ARRAY_BYTES / size : 1;
	size_t want = room ? room : few < HD_ARRAY_FIRST ? few : HD_ARRAY_FIRST;

	if (most > PTRDIFF_MAX / size) /* no object is larger */
		most = PTRDIFF_MAX / size;
	if (need > most)
		return 0;
	while (want < need && want <= most / 2)
		want *= 2;
	return want < need || want > most ? most : want;
}

/* @items with room for @need items, new *@room; NULL: out of memory, and all is as it was. */
static inline void *hd_array_grow(void *items, size_t *room, size_t need, size_t size, size_t most)
{
	size_t want = hd_array_more(*room, need, size, most);
	void *more = want ? realloc(items, want * size) : NULL;

	if (more)
		*room = want;
	return more;
}

/* The same; new items are all zero. */
static inline void *hd_array_grow_zeroed(void *items, size_t *room, size_t need, size_t size,
					 size_t most)
{
	size_t was = *room;
	char *more = hd_array_grow(items, room, need, size, most);

	if (more)
		memset(more + was * size, 0, (*room - was) * size);
	return more;
}

#define HD_ROOM_BY(grow, array, room, need)                                                        \
	((size_t)(need) <= (size_t)(room) || __extension__({                                       \
		 size_t hd_room_ = (room);                                                         \
		 void *hd_more_ = grow((array), &hd_room_, (size_t)(need), sizeof(*(array)),       \
				       (size_t)(__typeof__(room))-1);                              \
                                                                                                   \
		 if (hd_more_) {                                                                   \
			 (array) = hd_more_;                                                       \
			 (room) = (__typeof__(room))hd_room_;                                      \
		 }                                                                                 \
		 hd_more_ != NULL;                                                                 \
	 }))

/*
 * Is there room for @need items in @array, which has @room (of any unsigned type)? Makes it; false:
 * out of memory, and the array is as it was. @array and @room are assigned to.
 */
#define HD_ROOM(array, room, need) HD_ROOM_BY(hd_array_grow, array, room, need)
/* The same; all items between those there were and @room are zero. */
#define HD_ROOM_ZEROED(array, room, need) HD_ROOM_BY(hd_array_grow_zeroed, array, room, need)

#endif
