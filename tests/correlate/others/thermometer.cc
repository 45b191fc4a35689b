/*
 * A class with a std::mutex: one scale is computed from the other, read through a method that locks for
 * itself. GOOD: under one guard.
 *
 * EXPECT: extended-race thermometer.celsius thermometer.fahrenheit
 */
#include <iostream>
#include <mutex>
#include <thread>

class Thermometer {
public:
	double read() const
	{
		std::lock_guard<std::mutex> guard(mutex);
		return celsius;
	}

	void set(double c)
	{
		std::lock_guard<std::mutex> guard(mutex);
		celsius = c;
		fahrenheit = c * 9 / 5 + 32;
	}

	void calibrate()
	{
#ifdef GOOD
		std::lock_guard<std::mutex> guard(mutex);
		fahrenheit = celsius * 9 / 5 + 32.5;
#else
		double c = read();
		std::lock_guard<std::mutex> guard(mutex);
		fahrenheit = c * 9 / 5 + 32.5;
#endif
	}

	double difference() const
	{
		std::lock_guard<std::mutex> guard(mutex);
		return fahrenheit - celsius;
	}

private:
	mutable std::mutex mutex;
	double celsius = 20, fahrenheit = 68;
};

static Thermometer thermometer;

int main()
{
	std::thread sensor([] {
		for (int i = 0; i < 3; i++)
			thermometer.set(15 + i);
	});
	std::thread service([] { thermometer.calibrate(); });

	sensor.join();
	service.join();
	std::cout << thermometer.difference() << "\n";
	return 0;
}
