package ristretto.llm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockDecoder;
import ristretto.kernels.block.BlockEncoder;
import ristretto.kernels.block.BlockFormat;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.gguf.GgufWriter;

/** A small Llama of random weights with a tokenizer of bytes. */
public final class TinyModel {
  static final int WIDTH = 32;
  static final int HEADS = 4;
  static final int KEY_HEADS = 2;
  static final int HEAD = WIDTH / HEADS;
  static final int WIDE = 64;
  static final int WORDS = 3 + 256;
  static final int LAYERS = 2;
  static final double EPSILON = 1e-5;

  private final Random random = new Random(1);
  private final List<GgufTensor> tensors = new ArrayList<>();
  private final Map<String, float[][]> weights = new HashMap<>();

  static Map<String, Object> metadata(String architecture) {
    var all = new LinkedHashMap<String, Object>();
    all.put("general.architecture", architecture);
    all.put("llama.block_count", LAYERS);
    all.put("llama.context_length", 64);
    all.put("llama.embedding_length", WIDTH);
    all.put("llama.attention.head_count", HEADS);
    all.put("llama.attention.head_count_kv", KEY_HEADS);
    all.put("llama.attention.layer_norm_rms_epsilon", (float) EPSILON);
    all.putAll(tokenizer());
    return all;
  }

  /** Byte tokens from 3 on. */
  private static Map<String, Object> tokenizer() {
    var tokens = new ArrayList<String>(List.of("<unk>", "<s>", "</s>"));
    var types = new ArrayList<Integer>(List.of(2, 3, 3));
    for (int b = 0; b < 256; b++) {
      tokens.add(String.format(Locale.ROOT, "<0x%02X>", b));
      types.add(6);
    }
    var scores = new ArrayList<Float>();
    tokens.forEach(_ -> scores.add(0f));
    var all = new LinkedHashMap<String, Object>();
    all.put("tokenizer.ggml.model", "llama");
    all.put("tokenizer.ggml.tokens", tokens);
    all.put("tokenizer.ggml.scores", scores);
    all.put("tokenizer.ggml.token_type", types);
    all.put("tokenizer.ggml.bos_token_id", 1);
    all.put("tokenizer.ggml.eos_token_id", 2);
    all.put("tokenizer.ggml.unknown_token_id", 0);
    return all;
  }

  /** Tensors of the last file. */
  List<GgufTensor> tensors() {
    return tensors;
  }

  /** Elements of a matrix of the last file, or of a vector as its only row. */
  float[][] weight(String name) {
    return weights.get(name);
  }

  /** Adds a matrix, or a vector of 32-bit elements if it has one row. */
  private void add(String name, GgufType type, int rows, int cols, double mean) {
    GgufType own = rows == 1 ? GgufType.F32 : type;
    BlockFormat format = own.blocks().orElse(null);
    long bytes = format == null ? 4L * cols : format.rowBytes(cols);
    var data = MemorySegment.ofArray(new byte[(int) (rows * bytes)]);
    var matrix = new float[rows][cols];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        matrix[r][c] = (float) (mean + random.nextGaussian() / Math.sqrt(cols));
      }
      var to = MemorySegment.ofArray(matrix[r]);
      if (format == null) {
        MemorySegment.copy(to, 0, data, r * bytes, bytes);
      } else {
        BlockEncoder.encode(format, matrix[r], 0, cols, data, r * bytes);
        BlockDecoder.decode(format, data, r * bytes, 0, cols, to, 0);
      }
    }
    weights.put(name, matrix);
    Shape shape = rows == 1 ? Shape.of(cols) : Shape.of(rows, cols);
    tensors.add(new GgufTensor(name, own, shape, data));
  }

  /** Writes a file. */
  public Path written(Path folder, GgufType type) throws IOException {
    add("token_embd.weight", type, WORDS, WIDTH, 0);
    add("output_norm.weight", type, 1, WIDTH, 1);
    for (int k = 0; k < LAYERS; k++) {
      String of = "blk." + k + ".";
      add(of + "attn_norm.weight", type, 1, WIDTH, 1);
      add(of + "attn_q.weight", type, WIDTH, WIDTH, 0);
      add(of + "attn_k.weight", type, KEY_HEADS * HEAD, WIDTH, 0);
      add(of + "attn_v.weight", type, KEY_HEADS * HEAD, WIDTH, 0);
      add(of + "attn_output.weight", type, WIDTH, WIDTH, 0);
      add(of + "ffn_norm.weight", type, 1, WIDTH, 1);
      add(of + "ffn_gate.weight", type, WIDE, WIDTH, 0);
      add(of + "ffn_up.weight", type, WIDE, WIDTH, 0);
      add(of + "ffn_down.weight", type, WIDTH, WIDE, 0);
    }
    Path file = folder.resolve("model.gguf");
    GgufWriter.write(file, metadata("llama"), tensors);
    return file;
  }
}
