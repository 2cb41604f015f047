package ristretto.kernels.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import ristretto.kernels.debug.Debug;

/**
 * Copy of a library in the cache, with a file that records its size and digest. Computing the
 * digest of a library of 40 MB takes half a second in a new process. The digest is therefore
 * computed only if the file key (inode) or the time of the last status change, which no program can
 * set, differs from the record.
 */
final class CachedCopy {
  private static final String ASIDE = ".copying-";
  private static final Duration ABANDONED = Duration.ofHours(1);

  private final Path file;
  private final Path record;

  CachedCopy(Path file) {
    this.file = file;
    this.record = file.resolveSibling(file.getFileName().toString().concat(".digest"));
  }

  /** Deletes the files of a folder to which others had write permission. */
  static void clear(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path old :
          files.filter(f -> !Files.isDirectory(f, LinkOption.NOFOLLOW_LINKS)).toList()) {
        Files.delete(old);
      }
    }
  }

  /**
   * Returns true if the copy has the size of the source and the digest that it was written with.
   */
  boolean isWhole(URL from) throws IOException {
    if (!Files.isRegularFile(file) || !Files.isRegularFile(record)) {
      return false;
    }
    String[] words = Files.readString(record).strip().split(" ", 3);
    String problem =
        !Ownership.isOurs(file) || !Ownership.isOurs(record)
            ? "others could write to it"
            : words.length != 3
                    || !words[0].equals(Long.toString(Files.size(file)))
                    || !sameSize(from)
                ? "its size is " + Files.size(file)
                : words[2].equals(state()) || words[1].equals(digestNow())
                    ? null
                    : "it was changed";
    if (problem != null) {
      Debug.log(Debug.DEVICES, () -> "[cache] " + file + " is copied again: " + problem);
      return false;
    }
    if (!words[2].equals(state())) {
      writeRecord(words[1]);
    }
    return true;
  }

  private boolean sameSize(URL from) throws IOException {
    long size = from.openConnection().getContentLengthLong();
    return size < 0 || size == Files.size(file);
  }

  /** File key (inode) and time of the last status change, as the file system records them. */
  private String state() throws IOException {
    boolean unix = file.getFileSystem().supportedFileAttributeViews().contains("unix");
    var attributes = Files.readAttributes(file, BasicFileAttributes.class);
    FileTime changed =
        unix ? (FileTime) Files.getAttribute(file, "unix:ctime") : attributes.lastModifiedTime();
    // concat, because the operator + adds some milliseconds to the start of the JVM
    String key = String.valueOf(attributes.fileKey()).concat(" ");
    return key.concat(Long.toString(changed.to(TimeUnit.NANOSECONDS)));
  }

  private String digestNow() throws IOException {
    MessageDigest digest = digest();
    try (InputStream in = Files.newInputStream(file);
        var to = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      in.transferTo(to);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Copies the source to a temporary file, forces it to the disk and renames it. */
  void write(URL from) throws IOException {
    deleteAbandoned();
    Files.deleteIfExists(record);
    MessageDigest digest = digest();
    replace(
        file,
        channel -> {
          try (InputStream in = from.openStream()) {
            in.transferTo(new DigestOutputStream(Channels.newOutputStream(channel), digest));
          }
          channel.force(true);
        });
    writeRecord(HexFormat.of().formatHex(digest.digest()));
  }

  private void writeRecord(String digest) throws IOException {
    byte[] text =
        (Files.size(file) + " " + digest + " " + state() + "\n").getBytes(StandardCharsets.UTF_8);
    replace(record, channel -> Channels.newOutputStream(channel).write(text));
  }

  /** Writer of a file's content. */
  private interface Content {
    void write(FileChannel channel) throws IOException;
  }

  /** Writes a temporary file that only the user can write to, and renames it. */
  private static void replace(Path target, Content content) throws IOException {
    Path aside =
        target.resolveSibling(
            ASIDE + ProcessHandle.current().pid() + "-" + Thread.currentThread().threadId());
    try {
      try (FileChannel channel =
          FileChannel.open(aside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        content.write(channel);
      }
      Ownership.close(aside);
      Files.move(
          aside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  /** Deletes temporary files of processes that were killed while copying. */
  private void deleteAbandoned() throws IOException {
    Instant limit = Instant.now().minus(ABANDONED);
    try (Stream<Path> files = Files.list(file.getParent())) {
      for (Path old : files.filter(f -> f.getFileName().toString().startsWith(ASIDE)).toList()) {
        if (Files.getLastModifiedTime(old, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(limit)) {
          Files.deleteIfExists(old);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
