package ristretto.llm.gguf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;

/**
 * GGUF file, mapped into memory: metadata, and tensors that are read as they are used. Everything
 * but the elements is checked when the file is opened: counts and lengths against the size of the
 * file, names for duplicates, places of tensors. Files of the versions 2 and 3 are read,
 * little-endian.
 *
 * <p>Metadata values are {@link Long} for all integers (those from 2^63 on are negative), {@link
 * Double}, {@link Boolean}, {@link String}, and lists of these.
 */
public final class Gguf implements AutoCloseable {
  private final Path file;
  private final Arena arena;
  private final Map<String, Object> metadata;
  private final Map<String, GgufTensor> tensors;

  private Gguf(Path file, Arena arena, GgufContent content) {
    this.file = file;
    this.arena = arena;
    this.metadata = Collections.unmodifiableMap(content.metadata());
    this.tensors = Collections.unmodifiableMap(content.tensors());
  }

  /**
   * Opens a file.
   *
   * @throws FileFormatException if the file is no GGUF file, or damaged
   * @throws ristretto.kernels.FileException if it cannot be read
   */
  public static Gguf open(Path file) {
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(file)) {
      MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new Gguf(file, arena, new GgufReader(file.toString(), all).read());
    } catch (IOException e) {
      arena.close();
      throw TensorFiles.failed("load", "the file must be readable", file, e);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Makes the content of a model that is stored in another way, in the form of a GGUF file.
   *
   * @param file file or folder of the model
   * @param arena memory of the tensors, which {@link #close} frees
   * @param metadata with values of the types that a file would give
   */
  public static Gguf of(
      Path file, Arena arena, Map<String, Object> metadata, Map<String, GgufTensor> tensors) {
    return new Gguf(file, arena, new GgufContent(metadata, tensors));
  }

  /** File that was opened, or folder of the model. */
  public Path file() {
    return file;
  }

  /** Metadata in the order of the file. */
  public Map<String, Object> metadata() {
    return metadata;
  }

  /** Tensors in the order of the file, by name. Their data may be read until the file is closed. */
  public Map<String, GgufTensor> tensors() {
    return tensors;
  }

  /**
   * Tensor of a name.
   *
   * @throws FileFormatException if there is none
   */
  public GgufTensor tensor(String name) {
    GgufTensor found = tensors.get(name);
    if (found == null) {
      throw new FileFormatException(
          "[load] the file must have a tensor '%s'; got %s with %s others; check that the file is complete."
              .formatted(name, file, tensors.size()));
    }
    return found;
  }

  /** Whole number of the metadata; empty if there is no such key. */
  public Optional<Long> integer(String key) {
    return value(key, Long.class, "a whole number");
  }

  /** Number of the metadata; empty if there is no such key. */
  public Optional<Double> number(String key) {
    return metadata.get(key) instanceof Long whole
        ? Optional.of(whole.doubleValue())
        : value(key, Double.class, "a number");
  }

  /** Text of the metadata; empty if there is no such key. */
  public Optional<String> text(String key) {
    return value(key, String.class, "a text");
  }

  /** Truth value of the metadata; empty if there is no such key. */
  public Optional<Boolean> truth(String key) {
    return value(key, Boolean.class, "true or false");
  }

  /** List of the metadata; empty if there is no such key. */
  public Optional<List<?>> list(String key) {
    return value(key, List.class, "a list").map(all -> (List<?>) all);
  }

  private <V> Optional<V> value(String key, Class<V> type, String what) {
    Object value = metadata.get(key);
    if (value != null && !type.isInstance(value)) {
      throw new FileFormatException(
          "[load] %s must be %s; got %s in %s; the file is damaged or of another program."
              .formatted(key, what, GgufReader.described(value), file));
    }
    return Optional.ofNullable(type.cast(value));
  }

  /** Unmaps the file; its tensors must not be used any more. */
  @Override
  public void close() {
    arena.close();
  }
}
