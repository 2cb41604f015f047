package ristretto.llm.generate;

import java.util.Arrays;
import java.util.List;

/** Tokens of a request, with their pages of the cache. */
final class Sequence {
  private int[] tokens;
  private int length;
  private int[] pages = new int[4];
  private int pageCount;

  /** Number of leading tokens whose keys and values are in the cache. */
  private int stored;

  Sequence(List<Integer> prompt) {
    tokens = prompt.stream().mapToInt(t -> t).toArray();
    length = tokens.length;
  }

  int length() {
    return length;
  }

  int token(int position) {
    return tokens[position];
  }

  /** Most recent tokens, at most {@code most}. */
  int[] last(int most) {
    return Arrays.copyOfRange(tokens, Math.max(0, length - most), length);
  }

  void add(int token) {
    if (length == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * length);
    }
    tokens[length++] = token;
  }

  int stored() {
    return stored;
  }

  void stored(int count) {
    stored = count;
  }

  /** Number of tokens that the pages have room for. */
  int room() {
    return pageCount * KeyValueCache.PAGE;
  }

  void addPage(int page) {
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, 2 * pageCount);
    }
    pages[pageCount++] = page;
  }

  /** Gives all pages back. */
  void release(KeyValueCache cache) {
    while (pageCount > 0) {
      cache.give(pages[--pageCount]);
    }
    stored = 0;
  }

  /** Takes over the pages of another sequence with the same first tokens. */
  void inherit(Sequence other, int same, KeyValueCache cache) {
    pages = other.pages;
    pageCount = other.pageCount;
    other.pageCount = 0;
    int needed = (same + KeyValueCache.PAGE - 1) / KeyValueCache.PAGE;
    while (pageCount > needed) {
      cache.give(pages[--pageCount]);
    }
    stored = same;
  }

  /** Number of leading tokens that are stored and equal those of another sequence. */
  int common(Sequence other) {
    int most = Math.min(stored, other.length);
    int differs = Arrays.mismatch(tokens, 0, most, other.tokens, 0, most);
    return differs < 0 ? most : differs;
  }

  /** Slot of a position. */
  int slot(int position) {
    int page = KeyValueCache.PAGE;
    return pages[position / page] * page + position % page;
  }

  /** Slots of consecutive positions. */
  void slots(int from, int count, int[] to) {
    for (int k = 0; k < count; k++) {
      to[k] = slot(from + k);
    }
  }
}
