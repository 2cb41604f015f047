package ristretto.expr.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsideFileTest {
  @TempDir Path folder;

  private static void write(Path path, String text) throws IOException {
    AsideFile.write(path, channel -> AsideFile.writeFully(channel, bytes(text)));
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Stream<Path> files(Path folder) throws IOException {
    return Files.list(folder);
  }

  @Test
  void modesStay() throws IOException {
    Path file = folder.resolve("f");
    for (String mode : new String[] {"rw-------", "rwxr-x--x", "rw-rw-rw-", "rw-r-----"}) {
      Files.deleteIfExists(file);
      Files.writeString(file, "old");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      write(file, "new");
      assertThat(file).hasContent("new");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo(mode);
    }
  }

  @Test
  void newFilesHaveTheModeOfAnyNewFile() throws IOException {
    Path plain = Files.createFile(folder.resolve("plain"));
    write(folder.resolve("f"), "new");
    assertThat(Files.getPosixFilePermissions(folder.resolve("f")))
        .isEqualTo(Files.getPosixFilePermissions(plain));
  }

  @Test
  void linksStay() throws IOException {
    Files.createDirectory(folder.resolve("deep"));
    Path target = folder.resolve("deep").resolve("target");
    Path second =
        Files.createSymbolicLink(folder.resolve("deep").resolve("second"), Path.of("target"));
    Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("deep", "second"));
    for (String content : new String[] {"made", "replaced"}) {
      write(first, content);
      assertThat(first).isSymbolicLink();
      assertThat(second).isSymbolicLink();
      assertThat(target).isRegularFile().hasContent(content);
    }
    assertThat(files(folder)).hasSize(2);
    assertThat(files(folder.resolve("deep"))).hasSize(2);
  }

  @Test
  void linksInCirclesAreRefused() throws IOException {
    Path a = Files.createSymbolicLink(folder.resolve("a"), Path.of("b"));
    Files.createSymbolicLink(folder.resolve("b"), Path.of("a"));
    assertThatThrownBy(() -> write(a, "x")).isInstanceOf(FileSystemLoopException.class);
  }

  @Test
  void targetsThatAreNoFilesAreRefused() {
    assertThatThrownBy(() -> write(folder, "x"))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> write(Path.of("/dev/null"), "x"))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> write(folder.resolve("no").resolve("f"), "x"))
        .isInstanceOf(NotDirectoryException.class);
  }

  @Test
  void writeProtectedTargetsAreRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    assumeTrue(!Files.isWritable(file), "root may write anything");
    assertThatThrownBy(() -> write(file, "x")).isInstanceOf(AccessDeniedException.class);
    assertThat(file).hasContent("old");
  }

  @Test
  void failuresLeaveTheOldFileAndNothingElse() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "old");
    assertThatThrownBy(() ->
            AsideFile.write(
                file,
                channel -> {
                  AsideFile.writeFully(channel, bytes("half"));
                  throw new IOException("full");
                }))
        .hasMessage("full");
    assertThat(file).hasContent("old");
    assertThat(files(folder)).containsExactly(file);
  }

  @Test
  void leftoversOfKilledProcessesAreRemovedAndFilesBeingWrittenStay() throws Exception {
    Process writer =
        TestFiles.java(Writer.class, folder.resolve("theirs").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(writer.getInputStream().read()).isEqualTo('w');
      write(folder.resolve("ours"), "x");
      assertThat(files(folder)).hasSize(2);
      assertThat(run(TestFiles.java(Once.class, folder.resolve("second").toString()))).isZero();
      assertThat(files(folder)).hasSize(3);
    } finally {
      writer.destroyForcibly().waitFor();
    }
    assertThat(files(folder).filter(f -> f.toString().endsWith(".tmp"))).hasSize(1);
    assertThat(run(TestFiles.java(Once.class, folder.resolve("third").toString()))).isZero();
    assertThat(files(folder).map(f -> f.getFileName().toString()))
        .containsExactlyInAnyOrder("ours", "second", "third");
  }

  private static int run(ProcessBuilder process) throws Exception {
    Process started = process.inheritIO().start();
    assertThat(started.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return started.exitValue();
  }

  /** Writes a file, and is killed before it is done. */
  static final class Writer {
    public static void main(String[] args) throws Exception {
      AsideFile file = AsideFile.open(Path.of(args[0]));
      AsideFile.writeFully(file.channel(), bytes("half"));
      System.out.print('w');
      System.out.flush();
      Thread.sleep(600_000);
    }
  }

  /** Writes a file. */
  static final class Once {
    public static void main(String[] args) throws Exception {
      write(Path.of(args[0]), "whole");
    }
  }

  @Test
  void ownFilesBeingWrittenStay() throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    try (FileChannel leftover =
        FileChannel.open(
            inner.resolve(".ristretto-0123456789abcdef.tmp"),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE)) {
      AsideFile.writeFully(leftover, bytes("old"));
    }
    try (AsideFile first = AsideFile.open(inner.resolve("f"))) {
      assertThat(files(inner)).hasSize(1);
      write(inner.resolve("g"), "g");
      AsideFile.writeFully(first.channel(), bytes("f"));
      first.commit();
    }
    assertThat(files(inner)).containsExactlyInAnyOrder(inner.resolve("f"), inner.resolve("g"));
  }
}
