package ristretto.expr.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import ristretto.expr.option.TensorFormat;
import ristretto.kernels.FileFormatException;

/**
 * Open weight file, or the open files of a sharded one: those that an index in JSON names, as
 * Hugging Face writes them ({@code model.safetensors.index.json}, {@code
 * pytorch_model.bin.index.json}). Tensors of these files that the index does not name are ignored.
 * Opening checks the headers of all files.
 */
public final class WeightFiles implements AutoCloseable {
  private static final String INDEX = ".index.json";
  private static final String TORCH = ".bin";

  private final List<TensorFile> files = new ArrayList<>();
  private final Map<String, StoredTensor> tensors = new LinkedHashMap<>();

  private WeightFiles() {}

  /**
   * Opens a weight file, by its path; or a sharded one, by the path of its index or of the folder
   * that contains the index. Files named {@code .bin} are PyTorch's.
   *
   * @throws FileFormatException if a file is malformed or lacks a tensor, or if the folder does not
   *     contain exactly one index
   * @throws ristretto.kernels.FileException if a file does not exist or cannot be read
   */
  public static WeightFiles open(Path path) {
    var opened = new WeightFiles();
    try {
      Path file = Files.isDirectory(path) ? index(path) : path;
      if (endsWith(file, INDEX)) {
        opened.shards(file);
      } else {
        opened.tensors.putAll(opened.add(file).tensors());
      }
      return opened;
    } catch (RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  private static Path index(Path folder) {
    List<Path> found;
    try (Stream<Path> all = Files.list(folder)) {
      found = all.filter(file -> endsWith(file, INDEX)).sorted().toList();
    } catch (IOException e) {
      throw TensorFiles.failed("load", "a folder of weights must be readable", folder, e);
    }
    if (found.size() != 1) {
      String names =
          String.join(
              ", ", found.stream().map(file -> Excerpt.of(file.getFileName().toString())).toList());
      throw new FileFormatException(
          "[load] a folder of weights must contain one file named .index.json; got %s in %s; name a file"
              .formatted(found.isEmpty() ? "none" : names, Excerpt.whole(folder.toString())));
    }
    return found.getFirst();
  }

  private static boolean endsWith(Path file, String ending) {
    Path name = file.getFileName();
    return name != null && name.toString().toLowerCase(Locale.ROOT).endsWith(ending);
  }

  private TensorFile add(Path file) {
    TensorFile open =
        endsWith(file, TORCH) ? TensorFile.open(file, TensorFormat.PYTORCH) : TensorFile.open(file);
    files.add(open);
    return open;
  }

  private void shards(Path index) {
    Map<String, String> names;
    try (InputFile input = InputFile.open(index)) {
      names = ShardIndex.read(input.bytes());
    }
    var shards = new HashMap<String, TensorFile>();
    names.forEach((name, shard) -> {
      TensorFile file = shards.computeIfAbsent(shard, s -> add(index.resolveSibling(s)));
      StoredTensor tensor = file.tensors().get(name);
      if (tensor == null) {
        throw new FileFormatException(
            "[load] a file must have the tensors that the index names; got '%s' missing in %s; download both again"
                .formatted(
                    Excerpt.of(name), Excerpt.whole(index.resolveSibling(shard).toString())));
      }
      tensors.put(name, tensor);
    });
  }

  /** Tensors by name, in the order of the file or index. */
  public Map<String, StoredTensor> tensors() {
    return tensors;
  }

  /** Strings in the {@code __metadata__} of all safetensors files. */
  public Map<String, String> metadata() {
    var all = new HashMap<String, String>();
    files.forEach(file -> all.putAll(file.metadata()));
    return all;
  }

  /** Returns true if PyTorch's tools wrote all files; see {@link TensorFile#isPyTorch}. */
  public boolean isPyTorch() {
    return files.stream().allMatch(TensorFile::isPyTorch);
  }

  @Override
  public void close() {
    files.forEach(TensorFile::close);
  }
}
