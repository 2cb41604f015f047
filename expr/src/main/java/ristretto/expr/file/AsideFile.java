package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * Replacement of a file as a whole: content is written under another name beside the target, forced
 * to the disk and renamed by {@link #commit}. Whatever happens, there is the old file or the new
 * one. The target keeps its mode, owner and group as far as the process may set them; a symbolic
 * link stays, and the file that it leads to is replaced. What killed processes left in the folder
 * is removed.
 */
public final class AsideFile implements AutoCloseable {
  private static final int CHUNK = 1 << 30;

  /** Limit of symbolic links, equal to Linux's. */
  private static final int MAX_LINKS = 40;

  private final Path aside;
  private final Path target;
  private final FileChannel channel;

  /** Content of a file. */
  @FunctionalInterface
  public interface Content {
    /** Writes from the start of an empty file. */
    void write(FileChannel channel) throws IOException;
  }

  private AsideFile(Leftovers.Temporary aside, Path target) {
    this.aside = aside.file();
    this.channel = aside.channel();
    this.target = target;
  }

  /**
   * Creates an empty file beside the one that it will replace or make.
   *
   * @throws IOException if the target is a directory, a device or write-protected, or if its folder
   *     cannot be written
   */
  public static AsideFile open(Path path) throws IOException {
    Path target = followed(path.toAbsolutePath());
    Path folder = target.getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new NotDirectoryException(String.valueOf(folder));
    }
    if (Files.exists(target)) {
      if (!Files.isRegularFile(target)) {
        throw new FileSystemException(target.toString(), null, "not a regular file");
      }
      if (!Files.isWritable(target)) {
        throw new AccessDeniedException(target.toString());
      }
    }
    Leftovers.remove(folder);
    AsideFile file = new AsideFile(Leftovers.create(folder), target);
    try {
      file.keepAttributes();
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Replaces or makes a file; where anything fails, leaves it as it is. */
  public static void write(Path path, Content content) throws IOException {
    try (AsideFile file = open(path)) {
      content.write(file.channel);
      file.commit();
    }
  }

  /** Channel to write to. */
  public FileChannel channel() {
    return channel;
  }

  /** Renames the file to its target, once all is written. */
  public void commit() throws IOException {
    channel.force(true);
    rename();
  }

  private void rename() throws IOException {
    // Before the channel is closed: its lock tells others that the file is no leftover.
    move(aside, target);
    channel.close();
  }

  /**
   * Renames two files, the second of which names bytes of the first. The old index is taken away
   * before the data is replaced, and the new one comes last: a process that is killed, or a machine
   * that stops, leaves the old pair, the new pair, or data without an index, but no index of other
   * data. If the data cannot be renamed, the old pair stays.
   */
  public static void commit(AsideFile data, AsideFile index) throws IOException {
    data.channel.force(true);
    index.channel.force(true);
    try (AsideFile old = new AsideFile(Leftovers.create(index.target.getParent()), index.target)) {
      boolean had = Files.isRegularFile(index.target);
      if (had) {
        move(index.target, old.aside);
        forceFolder(index.target);
      }
      try {
        data.rename();
      } catch (IOException | RuntimeException e) {
        if (had) {
          move(old.aside, index.target);
        }
        throw e;
      }
      forceFolder(data.target);
      index.rename();
      forceFolder(index.target);
    }
  }

  /** Orders renames on the disk, where the system can open folders. */
  private static void forceFolder(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
        folder.force(true);
      }
    }
  }

  /** Removes the file, unless it was committed. */
  @Override
  public void close() throws IOException {
    try {
      Files.deleteIfExists(aside);
    } finally {
      channel.close();
      Leftovers.forget(aside);
    }
  }

  /** Follows links to the end, where nothing needs to be. */
  private static Path followed(Path path) throws IOException {
    Path at = path;
    for (int k = 0; Files.isSymbolicLink(at); k++) {
      if (k == MAX_LINKS) {
        throw new FileSystemLoopException(path.toString());
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  private void keepAttributes() throws IOException {
    PosixFileAttributeView to =
        Files.getFileAttributeView(aside, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    if (to == null || !Files.exists(target)) {
      return;
    }
    PosixFileAttributes old = Files.readAttributes(target, PosixFileAttributes.class);
    PosixFileAttributes own = to.readAttributes();
    try {
      if (!old.group().equals(own.group())) {
        to.setGroup(old.group());
      }
      if (!old.owner().equals(own.owner())) {
        to.setOwner(old.owner());
      }
    } catch (FileSystemException _) {
      // Only root may give files away: as with any new file, they belong to who wrote them.
    }
    to.setPermissions(old.permissions());
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  static void writeFully(FileChannel channel, MemorySegment data) throws IOException {
    Chunks.forEach(data, CHUNK, bytes -> writeFully(channel, bytes));
  }

  /** Writes all that remains in the buffer. */
  public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
