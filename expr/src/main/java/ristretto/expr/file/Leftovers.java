package ristretto.expr.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Temporary files of killed processes. A process locks each of its temporary files while writing,
 * so that an unlocked file is a leftover. Each folder is searched once, when the process first
 * writes there.
 */
final class Leftovers {
  private static final String PREFIX = ".ristretto-";
  private static final String SUFFIX = ".tmp";

  private static final Set<Path> searched = ConcurrentHashMap.newKeySet();

  /**
   * Temporary files of this process, which must not be reopened: closing any channel of a file
   * releases the process's lock.
   */
  private static final Set<Path> own = ConcurrentHashMap.newKeySet();

  private Leftovers() {}

  /** New temporary file, locked by this process. */
  record Temporary(Path file, FileChannel channel) {}

  /** Creates a locked temporary file, which no other process removes while its channel is open. */
  static Temporary create(Path folder) throws IOException {
    while (true) {
      long random = ThreadLocalRandom.current().nextLong();
      Path file = folder.resolve(PREFIX + HexFormat.of().toHexDigits(random) + SUFFIX);
      own.add(file);
      FileChannel channel = null;
      boolean kept = false;
      try {
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        // Another process may have removed the file as a leftover before it was locked.
        kept = lock(channel) && Files.exists(file);
        if (kept) {
          return new Temporary(file, channel);
        }
      } finally {
        if (!kept) {
          own.remove(file);
          if (channel != null) {
            channel.close();
            Files.deleteIfExists(file);
          }
        }
      }
    }
  }

  /** Returns true if no other process holds the lock, or if the file system has no locks. */
  private static boolean lock(FileChannel channel) {
    try {
      return channel.tryLock() != null;
    } catch (IOException e) {
      return true;
    }
  }

  static void forget(Path file) {
    own.remove(file);
  }

  /** Removes the leftovers of a folder as far as possible. */
  static void remove(Path folder) {
    if (!searched.add(folder)) {
      return;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
      for (Path file : files) {
        if (!own.contains(file) && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          removeUnlocked(file);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // A folder that cannot be listed may still be writable.
    }
  }

  private static void removeUnlocked(Path file) {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.tryLock() != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException _) {
      // The file belongs to another user or was removed meanwhile.
    }
  }
}
