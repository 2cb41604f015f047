package ristretto.expr.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.DeviceException;

/** Different texts of a column, numbered in their order of appearance. */
final class Words {
  private final List<String> words = new ArrayList<>();

  /** Number of a word plus 1 by hash, with linear probing; 0 is free. */
  private int[] slots = new int[64];

  private int[] hashes = new int[64];

  List<String> all() {
    return words;
  }

  /** Number of a text, a new one if the text is new. */
  int number(char[] text, int at, int length) {
    int hash = 0;
    for (int k = at; k < at + length; k++) {
      hash = 31 * hash + text[k];
    }
    hash ^= hash >>> 15;
    int mask = slots.length - 1;
    int slot = hash & mask;
    while (slots[slot] != 0) {
      if (hashes[slot] == hash && is(words.get(slots[slot] - 1), text, at, length)) {
        return slots[slot] - 1;
      }
      slot = slot + 1 & mask;
    }
    try {
      words.add(new String(text, at, length));
      slots[slot] = words.size();
      hashes[slot] = hash;
      if (2 * words.size() > slots.length) {
        grow();
      }
    } catch (OutOfMemoryError e) {
      throw new DeviceException(
          "[csv] the different texts of a column must fit in memory; got more than "
              + words.size()
              + "; give the JVM more memory with -Xmx, or choose columns.",
          e);
    }
    return words.size() - 1;
  }

  private static boolean is(String word, char[] text, int at, int length) {
    if (word.length() != length) {
      return false;
    }
    for (int k = 0; k < length; k++) {
      if (word.charAt(k) != text[at + k]) {
        return false;
      }
    }
    return true;
  }

  private void grow() {
    int[] old = slots;
    int[] oldHashes = hashes;
    slots = new int[Math.multiplyExact(2, old.length)];
    hashes = Arrays.copyOf(oldHashes, slots.length);
    int mask = slots.length - 1;
    for (int k = 0; k < old.length; k++) {
      if (old[k] != 0) {
        int slot = oldHashes[k] & mask;
        while (slots[slot] != 0) {
          slot = slot + 1 & mask;
        }
        slots[slot] = old[k];
        hashes[slot] = oldHashes[k];
      }
    }
  }
}
