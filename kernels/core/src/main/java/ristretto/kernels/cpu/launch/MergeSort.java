package ristretto.kernels.cpu.launch;

/** Stable merge sort of keys with their positions. */
final class MergeSort {
  private static final int RUN = 16;

  private MergeSort() {}

  /**
   * Sorts the first {@code n} entries of both arrays by key; the arrays have 2n entries.
   *
   * @return index of the first sorted entry, 0 or n
   */
  static int sort(long[] keys, int[] order, int n) {
    for (int from = 0; from < n; from += RUN) {
      insert(keys, order, from, Math.min(n, from + RUN));
    }
    int source = 0;
    for (int width = RUN; width < n; width *= 2) {
      int target = n - source;
      for (int from = 0; from < n; from += 2 * width) {
        int middle = Math.min(n, from + width);
        merge(
            keys,
            order,
            source + from,
            source + middle,
            source + Math.min(n, middle + width),
            target + from);
      }
      source = target;
      if (width > n / 2) {
        break;
      }
    }
    return source;
  }

  private static void insert(long[] keys, int[] order, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      long key = keys[i];
      int position = order[i];
      int k = i - 1;
      while (k >= from && keys[k] > key) {
        keys[k + 1] = keys[k];
        order[k + 1] = order[k];
        k--;
      }
      keys[k + 1] = key;
      order[k + 1] = position;
    }
  }

  private static void merge(long[] keys, int[] order, int a, int middle, int end, int to) {
    int b = middle;
    int left = a;
    while (left < middle || b < end) {
      int next = b == end || left < middle && keys[left] <= keys[b] ? left++ : b++;
      keys[to] = keys[next];
      order[to++] = order[next];
    }
  }
}
