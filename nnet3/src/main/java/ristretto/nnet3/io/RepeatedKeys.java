package ristretto.nnet3.io;

import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import ristretto.expr.file.Excerpt;

/**
 * Warning about keys that come twice in a table that is read in turn. Kaldi's tables have unique
 * keys, but its readers check that only where entries are asked for by name, and so the entries are
 * all read. Of each key 8 bytes are kept.
 */
final class RepeatedKeys {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatedKeys.class);
  private static final int FIRST = 1 << 8;

  /** Keys that are looked at; a table of more is not searched further. */
  private static final int MOST = 1 << 24;

  private final String table;
  private long[] hashes = new long[FIRST];
  private int count;

  RepeatedKeys(String table) {
    this.table = table;
  }

  /** Warns if the key was there before; once for a table. */
  void add(String key) {
    if (hashes == null) {
      return;
    }
    if (!insert(hashes, hash(key))) {
      LOG.warn(
          "keys must differ; got {} twice in {}: both entries are read, and tables that are asked"
              + " for keys refuse them",
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

  /** 64 bits, of which two of a million keys share all in one of 10 million tables; never 0. */
  private static long hash(String key) {
    long hash = 0xcbf29ce484222325L;
    for (int k = 0; k < key.length(); k++) {
      hash = (hash ^ key.charAt(k)) * 0x100000001b3L;
      hash ^= hash >>> 29;
    }
    return hash == 0 ? 1 : hash;
  }

  /** Returns false if the hash is there. */
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
