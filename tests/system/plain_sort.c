/* Built by the compiler alone, without heddle, or with it: then what it does is seen. */
void plain_sort(int *numbers, int n);
int plain_larger(int a, int b);

void plain_sort(int *numbers, int n)
{
	for (int i = 1; i < n; i++) {
		for (int k = i; k && numbers[k] < numbers[k - 1]; k--) {
			int moved = numbers[k];

			numbers[k] = numbers[k - 1];
			numbers[k - 1] = moved;
		}
	}
}

/* Touches no memory: it does not matter who built this. */
int plain_larger(int a, int b)
{
	return a > b ? a : b;
}
