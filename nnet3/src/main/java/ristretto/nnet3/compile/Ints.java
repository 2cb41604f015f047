package ristretto.nnet3.compile;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Growable list of ints. */
final class Ints {
  private int[] values = new int[8];
  private int size;

  void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  int get(int k) {
    return values[k];
  }

  void set(int k, int value) {
    values[k] = value;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int removeLast() {
    return values[--size];
  }

  int[] toArray() {
    return Arrays.copyOf(values, size);
  }

  IntStream stream() {
    return Arrays.stream(values, 0, size);
  }
}
