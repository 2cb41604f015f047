package ristretto.nnet3.io;

import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.expr.file.Excerpt;

/**
 * Warns about repeated keys of a table that is read sequentially. Kaldi's tables have unique keys,
 * but its sequential readers do not check that; so all entries are read. Keeps a 64-bit hash per
 * key.
 */
final class RepeatedKeys {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedKeys.class);
  private static final int FIRST = 1 << 8;

  /** Maximum number of keys that are checked; later ones are not. */
  private static final int MOST = 1 << 24;

  private final String table;
  private long[] hashes = new long[FIRST];
  private int count;

  RepeatedKeys(String table) {
    this.table = table;
  }

  /** Adds a key; warns if the table had it before, at most once per table. */
  void add(String key) {
    if (hashes == null) {
      return;
    }
    if (!insert(hashes, hash(key))) {
      LOG.warn(
          "keys must be unique; got {} twice in {}: both entries are read; random access would be"
              + " refused",
          TextScanner.quoted(key),
          Excerpt.whole(table));
      hashes = null;
    } else if (++count == MOST) {
      hashes = null;
    } else if (2 * count > hashes.length) {
      var more = new long[2 * hashes.length];
      Arrays.stream(hashes).filter(h -> h != 0).forEach(h -> insert(more, h));
      hashes = more;
    }
  }

  /** Hash of 64 bits, never 0; a million keys have a collision with a probability below 1e-7. */
  private static long hash(String key) {
    long hash = 0xcbf29ce484222325L;
    for (int k = 0; k < key.length(); k++) {
      hash = (hash ^ key.charAt(k)) * 0x100000001b3L;
      hash ^= hash >>> 29;
    }
    return hash == 0 ? 1 : hash;
  }

  /** Inserts a hash; returns false if it is present already. */
  private static boolean insert(long[] hashes, long hash) {
    int at = (int) (hash ^ (hash >>> 32)) & (hashes.length - 1);
    while (hashes[at] != 0) {
      if (hashes[at] == hash) {
        return false;
      }
      at = (at + 1) & (hashes.length - 1);
    }
    hashes[at] = hash;
    return true;
  }
}
