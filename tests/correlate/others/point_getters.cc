/*
 * Getters of a point under a std::shared_mutex, each in its own section, and the length of the vector
 * computed from both; another thread moves the point. GOOD: one getter for both.
 *
 * EXPECT: extended-race heap
 */
#include <cmath>
#include <cstdio>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>

class Point {
public:
	double x() const
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		return x_;
	}
	double y() const
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		return y_;
	}
	std::pair<double, double> both() const
	{
		std::shared_lock<std::shared_mutex> lock(mutex_);
		return { x_, y_ };
	}
	void move(double x, double y)
	{
		std::unique_lock<std::shared_mutex> lock(mutex_);
		x_ = x;
		y_ = y;
	}

private:
	mutable std::shared_mutex mutex_;
	double x_ = 3, y_ = 4;
};

int main()
{
	auto point = std::make_unique<Point>();
	double length = 0;

	std::thread mover([&] {
		for (int i = 1; i < 4; i++)
			point->move(3 * i, 4 * i);
	});
	std::thread measurer([&] {
#ifdef GOOD
		auto p = point->both();
		length = std::sqrt(p.first * p.first + p.second * p.second);
#else
		double x = point->x();
		double y = point->y();
		length = std::sqrt(x * x + y * y);
#endif
	});
	mover.join();
	measurer.join();
	std::printf("%g\n", length);
	return 0;
}
