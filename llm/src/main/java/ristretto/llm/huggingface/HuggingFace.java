package ristretto.llm.huggingface;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.expr.file.StoredTensor;
import ristretto.expr.file.WeightFiles;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;

/**
 * Checkpoints in the layout of Hugging Face: a folder with {@code config.json}, {@code
 * model.safetensors} (or several files with an index), and {@code tokenizer.json} with {@code
 * tokenizer_config.json}.
 */
public final class HuggingFace {
  private static final String WEIGHTS = "model.safetensors";

  private final Settings config;
  private final Architecture architecture;
  private final Arena arena;
  private final Map<String, GgufTensor> tensors = new LinkedHashMap<>();

  private HuggingFace(Settings config, Arena arena) {
    this.config = config;
    this.architecture = Architecture.of(config);
    this.arena = arena;
  }

  /**
   * Reads a checkpoint as the GGUF file that it corresponds to: with the same metadata, names and
   * order of rows. All weights are read into memory.
   *
   * @throws FileFormatException if a file is missing, malformed, or of an unknown kind
   * @throws ristretto.kernels.FileException if a file cannot be read
   */
  public static Gguf open(Path folder) {
    Settings config =
        Settings.read(folder.resolve("config.json"))
            .orElseThrow(() ->
                new FileFormatException(
                    "[load] the folder of a model must have config.json; got %s without it; check the path."
                        .formatted(folder)));
    Arena arena = Arena.ofShared();
    try {
      var model = new HuggingFace(config, arena);
      Map<String, Object> metadata = new Metadata(config, model.architecture).all();
      model.readWeights(folder);
      Metadata.factors(config, model.architecture)
          .forEach((name, values) -> model.add(name, values));
      metadata.putAll(TokenizerFiles.read(folder, config));
      return Gguf.of(folder, arena, metadata, model.tensors);
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private void readWeights(Path folder) {
    Path one = folder.resolve(WEIGHTS);
    Path file = Files.exists(one) ? one : folder.resolve(WEIGHTS + ".index.json");
    try (WeightFiles files = WeightFiles.open(file)) {
      files
          .tensors()
          .forEach((name, stored) -> {
            if (!Architecture.isComputed(name)) {
              add(name, stored);
            }
          });
    }
    if (config.truth("tie_word_embeddings").orElse(architecture == Architecture.GPT2)) {
      tensors.remove("output.weight");
    }
  }

  private Path folder() {
    return config.file().getParent();
  }

  private void add(String name, StoredTensor stored) {
    String own =
        architecture
            .tensor(name)
            .orElseThrow(() ->
                new FileFormatException(
                    "[load] tensors must be those of %s; got '%s' in %s; choose another model."
                        .formatted(architecture.label, name, folder())));
    GgufType type =
        switch (String.valueOf(stored.type())) {
          case "F32" -> GgufType.F32;
          case "F16" -> GgufType.F16;
          case "BF16" -> GgufType.BF16;
          default ->
              throw new FileFormatException(
                  "[load] weights must be F32, F16 or BF16; got %s for '%s' in %s; choose another model."
                      .formatted(stored.type(), name, folder()));
        };
    MemorySegment data = arena.allocate(stored.bytes(), 64);
    stored
        .elements()
        .forEach((at, piece) -> MemorySegment.copy(piece, 0, data, at, piece.byteSize()));
    var shape = Shape.of(stored.shape());
    var tensor = new GgufTensor(own, type, shape, data);
    if (architecture.isTransposed(name) && shape.rank() == 2) {
      tensor = transposed(tensor);
    } else if (architecture == Architecture.LLAMA && own.matches(".*\\.attn_[qk]\\..*")) {
      tensor = interleaved(tensor, own.contains("attn_q") ? heads() : keyHeads());
    }
    if (tensors.putIfAbsent(own, tensor) != null) {
      throw new FileFormatException(
          "[load] each weight must occur once; got '%s' twice in %s; choose another model."
              .formatted(own, folder()));
    }
  }

  /** Adds a vector. */
  private void add(String name, float[] values) {
    MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
    tensors.put(name, new GgufTensor(name, GgufType.F32, Shape.of(values.length), data));
  }

  private long heads() {
    return config.size("num_attention_heads");
  }

  private long keyHeads() {
    return config.integer("num_key_value_heads").orElseGet(this::heads);
  }

  private GgufTensor transposed(GgufTensor tensor) {
    long rows = tensor.shape().at(0);
    long columns = tensor.shape().at(1);
    long bytes = rows * columns == 0 ? 0 : tensor.data().byteSize() / (rows * columns);
    MemorySegment turned = arena.allocate(tensor.data().byteSize(), 64);
    for (long r = 0; r < rows; r++) {
      for (long c = 0; c < columns; c++) {
        MemorySegment.copy(
            tensor.data(), (r * columns + c) * bytes, turned, (c * rows + r) * bytes, bytes);
      }
    }
    return new GgufTensor(tensor.name(), tensor.type(), Shape.of(columns, rows), turned);
  }

  /**
   * Puts the rows of each head into the order of GGUF files: rotations turn rows 2 i and 2 i + 1
   * there, and rows i and i + half of a head in checkpoints.
   */
  private GgufTensor interleaved(GgufTensor tensor, long heads) {
    long rows = tensor.shape().at(0);
    if (heads <= 0 || rows % (2 * heads) != 0) {
      throw new FileFormatException(
          "[load] rows of %s must be those of %s heads of an even width; got %s in %s; check config.json."
              .formatted(tensor.name(), heads, tensor.label(), folder()));
    }
    long width = rows / heads;
    long bytes = rows == 0 ? 0 : tensor.data().byteSize() / rows;
    MemorySegment turned = arena.allocate(tensor.data().byteSize(), 64);
    for (long r = 0; r < rows; r++) {
      long head = r / width * width;
      long i = r % width;
      long from = head + i / 2 + i % 2 * (width / 2);
      MemorySegment.copy(tensor.data(), from * bytes, turned, r * bytes, bytes);
    }
    return new GgufTensor(tensor.name(), tensor.type(), tensor.shape(), turned);
  }
}
