package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Debug;

/** Elements of a file, mapped into memory. */
public final class MappedElements {
  private MappedElements() {}

  /**
   * Maps elements into memory, which may be written without an effect on the file. The memory is
   * unmapped after the segment became unreachable.
   *
   * @throws ristretto.kernels.FileException if the file cannot be read
   * @throws ShapeException if the elements do not lie within the file
   */
  public static MemorySegment of(DType<?> dtype, Path file, long offset, Shape shape) {
    try {
      return Files.isWritable(file)
          ? mapped(dtype, file, offset, shape)
          : copied(dtype, file, offset, shape);
    } catch (IOException e) {
      throw TensorFiles.failed("memoryMap", "the file must be readable", file, e);
    }
  }

  private static MemorySegment mapped(DType<?> dtype, Path file, long offset, Shape shape)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long bytes = bytes(dtype, file, offset, shape, channel.size());
      return channel.map(FileChannel.MapMode.PRIVATE, offset, bytes, Arena.ofAuto());
    }
  }

  /** Copies elements: the JDK maps only writable files into memory that may be written. */
  private static MemorySegment copied(DType<?> dtype, Path file, long offset, Shape shape)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file);
        Arena arena = Arena.ofConfined()) {
      Debug.log(
          Debug.DEVICES,
          () ->
              "[memoryMap] " + file + " is read-only, so it is copied; chmod +w shares its memory");
      long bytes = bytes(dtype, file, offset, shape, channel.size());
      MemorySegment from = channel.map(FileChannel.MapMode.READ_ONLY, offset, bytes, arena);
      return Arena.ofAuto().allocate(bytes, 64).copyFrom(from);
    }
  }

  private static long bytes(DType<?> dtype, Path file, long offset, Shape shape, long size) {
    long most = (size - Math.clamp(offset, 0, size)) / dtype.bytes();
    if (offset < 0 || offset > size || offset % dtype.bytes() != 0 || shape.size() > most) {
      throw new ShapeException(
          ("[memoryMap] the elements must lie within the file, from a multiple of %s bytes on; got"
                  + " %s%s at byte %s of %s bytes in %s; check the offset and the shape.")
              .formatted(dtype.bytes(), dtype, shape, offset, size, file));
    }
    return shape.size() * dtype.bytes();
  }
}
