package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Debug;

/** Elements of a file, mapped into memory. */
public final class MappedElements {
  private MappedElements() {}

  /**
   * Maps elements into memory, which may be written without an effect on the file. The memory is
   * unmapped after the segment became unreachable.
   *
   * @param label dtype and shape for messages
   * @param size bytes of an element
   * @param count number of elements
   * @throws ristretto.kernels.FileException if the file cannot be read
   * @throws ShapeException if the elements do not lie within the file
   */
  public static MemorySegment of(String label, int size, long count, Path file, long offset) {
    try {
      return Files.isWritable(file)
          ? mapped(label, size, count, file, offset)
          : copied(label, size, count, file, offset);
    } catch (IOException e) {
      throw TensorFiles.failed("memoryMap", "the file must be readable", file, e);
    }
  }

  private static MemorySegment mapped(String label, int size, long count, Path file, long offset)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytes = bytes(label, size, count, file, offset, channel.size());
      return channel.map(FileChannel.MapMode.PRIVATE, offset, bytes, Arena.ofAuto());
    }
  }

  /** Copies elements: the JDK maps only writable files into memory that may be written. */
  private static MemorySegment copied(String label, int size, long count, Path file, long offset)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file);
        Arena arena = Arena.ofConfined()) {
      Debug.log(
          Debug.DEVICES,
          () ->
              "[memoryMap] " + file + " is read-only, so it is copied; chmod +w shares its memory");
      long bytes = bytes(label, size, count, file, offset, channel.size());
      MemorySegment from = channel.map(FileChannel.MapMode.READ_ONLY, offset, bytes, arena);
      return Arena.ofAuto().allocate(bytes, 64).copyFrom(from);
    }
  }

  private static long bytes(String label, int size, long count, Path file, long offset, long all) {
    long most = (all - Math.clamp(offset, 0, all)) / size;
    if (offset < 0 || offset > all || offset % size != 0 || count > most) {
      throw new ShapeException(
          ("[memoryMap] the elements must lie within the file, from a multiple of %s bytes on; got"
                  + " %s at byte %s of %s bytes in %s; check the offset and the shape.")
              .formatted(size, label, offset, all, file));
    }
    return count * size;
  }
}
