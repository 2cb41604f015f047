package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
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
 * Replacement of a whole file: content is written to a temporary file in the target's folder,
 * forced to the disk and renamed by {@link #commit}. A crash leaves the old or the new file. The
 * target keeps its mode, owner and group as far as the process may set them; a symbolic link stays,
 * and its target is replaced. Leftover temporary files of killed processes are removed.
 */
public final class AsideFile implements AutoCloseable {
  private static final int CHUNK = 1 << 30;

  /** Limit of symbolic links, equal to Linux's. */
  private static final int MAX_LINKS = 40;

  private final Path aside;
  private final Path target;
  private final FileChannel channel;

  /** Writer of a file's content. */
  @FunctionalInterface
  public interface Content {
    /** Writes the content to an empty file. */
    void write(FileChannel channel) throws IOException;
  }

  private AsideFile(Leftovers.Temporary aside, Path target) {
    this.aside = aside.file();
    this.channel = aside.channel();
    this.target = target;
  }

  /**
   * Creates an empty temporary file in the folder of the target.
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

  /** Replaces or creates a file; leaves an existing file unchanged on failure. */
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

  /** Forces the content to the disk and renames the file to its target. */
  public void commit() throws IOException {
    channel.force(true);
    rename();
  }

  private void rename() throws IOException {
    // Rename before closing the channel, whose lock marks the file as no leftover.
    move(aside, target);
    channel.close();
  }

  /**
   * Commits a data file and an index that refers to byte offsets in it. The old index is moved away
   * before the data is replaced, and the new index is renamed last: a crash leaves the old pair,
   * the new pair, or data without an index, but never an index of other data. If the data cannot be
   * renamed, the old pair stays.
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

  /** Forces the renames in a file's folder to the disk, on systems that can open folders. */
  private static void forceFolder(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("unix")) {
      try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
        folder.force(true);
      }
    }
  }

  /** Deletes the temporary file unless it was committed. */
  @Override
  public void close() throws IOException {
    try {
      Files.deleteIfExists(aside);
    } finally {
      channel.close();
      Leftovers.forget(aside);
    }
  }

  /** Resolves symbolic links; the final target need not exist. */
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
      // Only root may change owners; the file then belongs to the current user.
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

  /** Writes all bytes of a segment. */
  public static void writeFully(WritableByteChannel channel, MemorySegment data)
      throws IOException {
    Chunks.forEach(data, CHUNK, bytes -> writeFully(channel, bytes));
  }

  /** Writes all remaining bytes of a buffer. */
  public static void writeFully(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
