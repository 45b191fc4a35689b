/*
 * A log line in a std::string: got as a copy, appended to, and set again; two threads do so. GOOD: a method
 * that appends under the lock.
 *
 * EXPECT: extended-race line.length
 * PART
 */
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

class Line {
	std::mutex mutex;
	char text[64] = "";
	size_t length = 0;

public:
	std::string get()
	{
		std::lock_guard<std::mutex> g(mutex);
		return std::string(text, length);
	}
	void set(const std::string &s)
	{
		std::lock_guard<std::mutex> g(mutex);
		length = s.copy(text, sizeof(text));
	}
	void append(char c)
	{
		std::lock_guard<std::mutex> g(mutex);
		text[length++] = c;
	}
};

static Line line;

static void writer(char c)
{
	for (int i = 0; i < 4; i++) {
#ifdef GOOD
		line.append(c);
#else
		std::string s = line.get();
		s += c;
		line.set(s);
#endif
	}
}

int main()
{
	std::thread a(writer, 'a'), b(writer, 'b');

	a.join();
	b.join();
	std::cout << line.get() << "\n";
	return 0;
}
