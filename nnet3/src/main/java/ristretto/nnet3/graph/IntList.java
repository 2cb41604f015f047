package ristretto.nnet3.graph;

import java.util.Arrays;
import java.util.stream.IntStream;

/** Growable list of ints. */
public final class IntList {
  private int[] values = new int[8];
  private int size;

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, 2 * size);
    }
    values[size++] = value;
  }

  public int get(int k) {
    return values[k];
  }

  void set(int k, int value) {
    values[k] = value;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  int removeLast() {
    return values[--size];
  }

  public int[] toArray() {
    return Arrays.copyOf(values, size);
  }

  IntStream stream() {
    return Arrays.stream(values, 0, size);
  }
}
