package ristretto.kernels.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.FileException;

/**
 * Owners and modes of cache files. Code is loaded only from files and folders that belong to the
 * user of this process or to root and that no other user can write. Systems without Unix modes are
 * not checked.
 */
public final class Ownership {
  static final String ADVICE =
      "set RISTRETTO_CACHE or -Dristretto.cache to a folder that only you can write to";

  private static final int ROOT = 0;
  private static final int OPEN = 0022;
  private static final int OPEN_TO_ALL = 0002;
  private static final int STICKY = 01000;

  private static int user = -1;

  private Ownership() {}

  /** Owner and mode of an existing file. */
  private record Unix(int owner, int mode) {
    static Unix of(Path path) throws IOException {
      Map<String, Object> all = Files.readAttributes(path, "unix:uid,mode");
      return new Unix((int) all.get("uid"), (int) all.get("mode"));
    }
  }

  private static boolean unknown(Path path) {
    return !path.getFileSystem().supportedFileAttributeViews().contains("unix");
  }

  /**
   * Refuses a cache folder of another user, or one in which every user can replace the files of
   * others.
   */
  static void checkBase(Path base) {
    if (unknown(base) || !Files.exists(base)) {
      return;
    }
    try {
      Unix unix = Unix.of(base);
      checkOwner(base, unix);
      if ((unix.mode & OPEN_TO_ALL) != 0 && (unix.mode & STICKY) == 0) {
        throw writable(base, unix);
      }
    } catch (IOException e) {
      throw unreadable(base, e);
    }
  }

  /**
   * Refuses a folder or file of another user, and removes the write permission of all other users.
   *
   * @return true if others had write permission
   */
  public static boolean close(Path path) {
    if (unknown(path)) {
      return false;
    }
    try {
      Unix unix = Unix.of(path);
      checkOwner(path, unix);
      if ((unix.mode & OPEN) == 0) {
        return false;
      }
      if (unix.owner != user()) {
        throw writable(path, unix);
      }
      Set<PosixFilePermission> closed = EnumSet.copyOf(Files.getPosixFilePermissions(path));
      closed.remove(PosixFilePermission.GROUP_WRITE);
      closed.remove(PosixFilePermission.OTHERS_WRITE);
      Files.setPosixFilePermissions(path, closed);
      return true;
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  /** Returns true if only this user and root can have written the file. */
  public static boolean isOurs(Path file) throws IOException {
    if (unknown(file)) {
      return true;
    }
    Unix unix = Unix.of(file);
    return (unix.owner == user() || unix.owner == ROOT) && (unix.mode & OPEN) == 0;
  }

  private static void checkOwner(Path path, Unix unix) throws IOException {
    if (unix.owner != user() && unix.owner != ROOT) {
      throw new FileException(
          String.format(
              Locale.ROOT,
              "[cache] a folder that code is loaded from must belong to this user or to root; got"
                  + " %s of user %d, but this process runs as user %d; %s.",
              path,
              unix.owner,
              user(),
              ADVICE),
          null);
    }
  }

  private static FileException writable(Path path, Unix unix) {
    return new FileException(
        String.format(
            Locale.ROOT,
            "[cache] a folder that code is loaded from must not be writable by others; got %s of"
                + " user %d with mode %o; remove that permission (chmod go-w), or %s.",
            path,
            unix.owner,
            unix.mode & 07777,
            ADVICE),
        null);
  }

  private static FileException unreadable(Path path, IOException e) {
    return new FileException(
        "[cache] owner and mode of the cache must be known; got %s of %s; %s."
            .formatted(e, path, ADVICE),
        e);
  }

  /** User id of this process. */
  private static synchronized int user() throws IOException {
    if (user < 0) {
      Path self = Path.of("/proc/self");
      if (Files.exists(self, LinkOption.NOFOLLOW_LINKS)) {
        user = Unix.of(self).owner;
      } else {
        Path made = Files.createTempFile("ristretto", ".tmp");
        user = Unix.of(made).owner;
        Files.delete(made);
      }
    }
    return user;
  }
}
