/*
 * C++: what the library cannot do by itself, in the program: catch what leaves a task, and throw it again.
 * Part of heddle/hj.h.
 */
#ifndef HEDDLE_HJ_EXCEPTIONS_H
#define HEDDLE_HJ_EXCEPTIONS_H

#if defined(__cpp_exceptions) && __cplusplus >= 201103L

#include <cxxabi.h>
#include <exception>
#include <vector>

namespace hj
{

/* Exceptions of several tasks of one finish, in the order in which they were thrown. */
class exceptions : public std::exception
{
      public:
	std::vector<std::exception_ptr> all;

	const char *what() const noexcept override
	{
		return "several tasks of a finish threw exceptions";
	}
};

} // namespace hj

struct hj_caught_ : hj_thrown_ {
	std::exception_ptr what;
};

/* The library finds these in the program; reports do not show them. */
#define HJ_IN_PROGRAM_ __attribute__((weak, used, no_sanitize_thread))

extern "C" {

/* NULL: it returned. The end of a thread is no exception. */
HJ_IN_PROGRAM_ struct hj_thrown_ *hj_catch_(void (*call)(void *), void *arg)
{
	try {
		call(arg);
	} catch (abi::__forced_unwind &) {
		throw;
	} catch (...) {
		hj_caught_ *caught = new hj_caught_();

		caught->what = std::current_exception();
		return caught;
	}
	return nullptr;
}

/* The last one comes first. */
HJ_IN_PROGRAM_ void hj_throw_(struct hj_thrown_ *list)
{
	hj::exceptions several;

	while (list) {
		hj_caught_ *caught = static_cast<hj_caught_ *>(list);

		several.all.insert(several.all.begin(), caught->what);
		list = list->next;
		delete caught;
	}
	if (several.all.size() == 1)
		std::rethrow_exception(several.all[0]);
	throw several;
}

HJ_IN_PROGRAM_ bool hj_unwinding_(void)
{
#if __cplusplus >= 201703L
	return std::uncaught_exceptions() > 0;
#else
	return std::uncaught_exception();
#endif
}
}

#endif
#endif
