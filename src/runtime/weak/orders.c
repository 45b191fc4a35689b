#include "orders.h"

#include "common/memory_order.h"

#define PLACES 1024u

static struct place {
	uintptr_t pc;
	char how; /* '+', '-' or '!' */
	unsigned parts;
} places[PLACES];
static unsigned nplaces;

bool hd_rt_orders_change;

static bool read_place(const char **list, struct place *p)
{
	const char *s = *list;

	*p = (struct place){ 0 };
	for (; (*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'f'); s++)
		p->pc = p->pc << 4 | (uintptr_t)(*s <= '9' ? *s - '0' : *s - 'a' + 10);
	p->how = *s;
	if (s == *list || (*s != '+' && *s != '-' && *s != '!') || s[1] < '0' || s[1] > '7')
		return false;
	p->parts = (unsigned)(s[1] - '0');
	s += 2;
	*list = *s == ',' ? s + 1 : s;
	return *s == ',' || !*s;
}

bool hd_rt_orders_read(const char *list)
{
	while (*list) {
		if (nplaces == PLACES || !read_place(&list, &places[nplaces]))
			return false;
		nplaces++;
	}
	hd_rt_orders_change = nplaces != 0;
	return true;
}

int hd_rt_order_at(uintptr_t pc, int order, bool fails)
{
	unsigned parts = hd_order_parts(order);

	for (unsigned i = 0; i < nplaces; i++) {
		const struct place *p = &places[i];

		if (p->pc && p->pc != pc)
			continue;
		if (p->how == '+')
			parts |= p->parts;
		else if (p->how == '-')
			parts &= p->parts;
	}
	if (fails && !(parts & HD_PART_ALL)) /* it writes nothing */
		parts &= ~HD_PART_RELEASES;
	return hd_order_of_parts(parts);
}

int hd_rt_fence_at(uintptr_t pc)
{
	unsigned parts = 0;

	for (unsigned i = 0; i < nplaces; i++) {
		if (places[i].how == '!' && places[i].pc == pc)
			parts |= places[i].parts;
	}
	return hd_order_of_parts(parts);
}
