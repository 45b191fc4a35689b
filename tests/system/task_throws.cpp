/* Exceptions out of tasks: each kind of task, one and several, finishes in finishes. */
#include <heddle/hj.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

static int ended;

static void fails(void *arg)
{
	throw std::runtime_error((const char *)arg);
}

static void works(void *)
{
	HJ_ISOLATED
	ended++;
}

static void *future_fails(void *arg)
{
	throw std::runtime_error((const char *)arg);
}

static void step(long i, void *)
{
	if (i == 2)
		throw std::runtime_error("step");
}

static bool next(void *iterator, void **item)
{
	const char **at = (const char **)iterator;

	*item = (void *)*at;
	return *(*at) ? ((*at)++, true) : false;
}

static void letter(void *item, void *)
{
	works(nullptr);
	if (*(const char *)item == 'b')
		throw std::runtime_error("letter");
}

static void act(hj_actor_t *self, void *message, void *)
{
	hj_actor_exit(self);
	throw std::runtime_error((const char *)message);
}

template <class F> static std::string caught(F run)
{
	try {
		run();
	} catch (const hj::exceptions &e) {
		return "several " + std::to_string(e.all.size());
	} catch (const std::exception &e) {
		return e.what();
	}
	return "nothing";
}

static void nested(void *)
{
	HJ_FINISH
	{
		hj_async(fails, (void *)"inner");
		hj_async(works, nullptr);
	}
	std::puts("not reached");
}

static void own(void *)
{
	HJ_FINISH
	{
		hj_async(works, nullptr);
		throw std::runtime_error("own");
	}
}

static void expect(const std::string &seen, const char *wanted)
{
	std::printf("%s\n", seen.c_str());
	if (seen != wanted)
		std::abort();
}

static void root(void *)
{
	expect(caught([] {
		       HJ_FINISH
		       {
			       hj_async(fails, (void *)"one");
			       hj_async(works, nullptr);
		       }
	       }),
	       "one");
	expect(caught([] {
		       HJ_FINISH
		       {
			       hj_async(fails, (void *)"a");
			       hj_async(fails, (void *)"b");
		       }
	       }),
	       "several 2");
	expect(caught([] { hj_finish(nested, nullptr); }), "inner");
	expect(caught([] { own(nullptr); }), "own");
	expect(caught([] {
		       HJ_FINISH
		       {
			       hj_async_future(future_fails, (void *)"future");
		       }
	       }),
	       "future");
	expect(caught([] {
		       struct hj_range r = { 0, 4, 1, 1 };
		       hj_forall1(&r, step, nullptr);
	       }),
	       "step");
	expect(caught([] {
		       const char *at = "abc";
		       hj_forall_items(next, &at, letter, nullptr);
	       }),
	       "letter");
	hj_actor_t *a = hj_actor_new(act, nullptr);
	expect(caught([a] {
		       HJ_FINISH
		       {
			       hj_actor_start(a);
			       hj_actor_send(a, (void *)"actor");
		       }
	       }),
	       "actor");
	hj_actor_free(a);
	expect(caught([] {
		       HJ_FINISH
		       {
			       works(nullptr);
		       }
	       }),
	       "nothing");
	hj_async(fails, (void *)"launch");
}

int main()
{
	expect(caught([] { hj_launch(root, nullptr); }), "launch");
	std::printf("ended %d\n", ended);
	return ended == 7 ? 0 : 3;
}
