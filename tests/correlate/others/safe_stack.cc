/*
 * empty(), top() and pop() are locked, each alone. That pop() looks where a block of the queue ends is no second look at
 * whether there is anything. GOOD: one locked try_pop().
 *
 * EXPECT: extended-race st.s.c._M_impl._M_finish._M_cur
 * PART
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <cstdio>
#include <mutex>
#include <stack>
#include <thread>
template <class T> class SafeStack {
	std::stack<T> s;
	mutable std::mutex m;
public:
	void push(T v) { std::lock_guard<std::mutex> g(m); s.push(v); }
	bool empty() const { std::lock_guard<std::mutex> g(m); return s.empty(); }
	T top() const { std::lock_guard<std::mutex> g(m); return s.top(); }
	void pop() { std::lock_guard<std::mutex> g(m); s.pop(); }
	bool tryPop(T &out)
	{
		std::lock_guard<std::mutex> g(m);
		if (s.empty()) return false;
		out = s.top();
		s.pop();
		return true;
	}
};
static SafeStack<int> st;
static int sums[2];
static void eat(int who)
{
	int v;
	for (int i = 0; i < 6; i++) {
#ifdef GOOD
		if (st.tryPop(v)) sums[who] += v;
#else
		if (!st.empty()) { v = st.top(); st.pop(); sums[who] += v; }
#endif
	}
}
int main()
{
	for (int i = 0; i < 20; i++) st.push(i);
	std::thread a(eat, 0), b(eat, 1);
	a.join();
	b.join();
	std::printf("%d %d\n", sums[0], sums[1]);
}
