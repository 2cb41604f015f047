package ristretto.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.gguf.GgufWriter;

/** A small Llama of random weights against loops in double. */
class LlamaTest {
  private static final int WIDTH = TinyModel.WIDTH;
  private static final int HEADS = TinyModel.HEADS;
  private static final int KEY_HEADS = TinyModel.KEY_HEADS;
  private static final int HEAD = TinyModel.HEAD;
  private static final int WIDE = TinyModel.WIDE;
  private static final int WORDS = TinyModel.WORDS;
  private static final int LAYERS = TinyModel.LAYERS;
  private static final double EPSILON = TinyModel.EPSILON;

  @TempDir Path folder;

  private final TinyModel model = new TinyModel();

  @ParameterizedTest
  @EnumSource(names = {"F32", "Q8_0", "Q4_0"})
  void logitsAreThoseOfLoops(GgufType type) throws IOException {
    Path file = model.written(folder, type);
    int[] tokens = {3, 139, 0, 3, 17};
    double[][] wanted = logits(tokens);
    try (Context ctx = Context.open()) {
      float[] all = LanguageModel.open(ctx, file).logits(tokens).toFloatArray();
      assertThat(all).hasSize(tokens.length * WORDS);
      for (int k = 0; k < all.length; k++) {
        assertThat((double) all[k]).isCloseTo(wanted[k / WORDS][k % WORDS], within(1e-5));
      }
    }
  }

  private double[][] logits(int[] tokens) {
    int n = tokens.length;
    var x = new double[n][WIDTH];
    for (int t = 0; t < n; t++) {
      for (int i = 0; i < WIDTH; i++) {
        x[t][i] = model.weight("token_embd.weight")[tokens[t]][i];
      }
    }
    for (int layer = 0; layer < LAYERS; layer++) {
      String of = "blk." + layer + ".";
      double[][] h = normal(x, of + "attn_norm.weight");
      double[][] q = rotated(product(h, of + "attn_q.weight"));
      double[][] k = rotated(product(h, of + "attn_k.weight"));
      double[][] v = product(h, of + "attn_v.weight");
      add(x, product(attended(q, k, v), of + "attn_output.weight"));
      double[][] g = normal(x, of + "ffn_norm.weight");
      double[][] gate = product(g, of + "ffn_gate.weight");
      double[][] up = product(g, of + "ffn_up.weight");
      for (int t = 0; t < n; t++) {
        for (int i = 0; i < WIDE; i++) {
          up[t][i] *= gate[t][i] / (1 + Math.exp(-gate[t][i]));
        }
      }
      add(x, product(up, of + "ffn_down.weight"));
    }
    return product(normal(x, "output_norm.weight"), "token_embd.weight");
  }

  private double[][] product(double[][] x, String name) {
    float[][] w = model.weight(name);
    var y = new double[x.length][w.length];
    for (int t = 0; t < x.length; t++) {
      for (int j = 0; j < w.length; j++) {
        for (int i = 0; i < w[j].length; i++) {
          y[t][j] += x[t][i] * w[j][i];
        }
      }
    }
    return y;
  }

  private double[][] normal(double[][] x, String name) {
    var y = new double[x.length][WIDTH];
    for (int t = 0; t < x.length; t++) {
      double sum = 0;
      for (double e : x[t]) {
        sum += e * e;
      }
      for (int i = 0; i < WIDTH; i++) {
        y[t][i] = x[t][i] / Math.sqrt(sum / WIDTH + EPSILON) * model.weight(name)[0][i];
      }
    }
    return y;
  }

  private static double[][] rotated(double[][] x) {
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < x[t].length; i += 2) {
        double angle = t * Math.pow(10_000, -(i % HEAD) / (double) HEAD);
        double a = x[t][i];
        double b = x[t][i + 1];
        x[t][i] = a * Math.cos(angle) - b * Math.sin(angle);
        x[t][i + 1] = a * Math.sin(angle) + b * Math.cos(angle);
      }
    }
    return x;
  }

  private static double[][] attended(double[][] q, double[][] k, double[][] v) {
    var y = new double[q.length][WIDTH];
    for (int t = 0; t < q.length; t++) {
      for (int head = 0; head < HEADS; head++) {
        int key = head / (HEADS / KEY_HEADS) * HEAD;
        var weight = new double[t + 1];
        double total = 0;
        for (int s = 0; s <= t; s++) {
          for (int i = 0; i < HEAD; i++) {
            weight[s] += q[t][head * HEAD + i] * k[s][key + i];
          }
          weight[s] = Math.exp(weight[s] / Math.sqrt(HEAD));
          total += weight[s];
        }
        for (int s = 0; s <= t; s++) {
          for (int i = 0; i < HEAD; i++) {
            y[t][head * HEAD + i] += weight[s] / total * v[s][key + i];
          }
        }
      }
    }
    return y;
  }

  private static void add(double[][] x, double[][] y) {
    for (int t = 0; t < x.length; t++) {
      for (int i = 0; i < x[t].length; i++) {
        x[t][i] += y[t][i];
      }
    }
  }

  private void refused(String message, Map<String, Object> metadata) throws IOException {
    Path file = folder.resolve("bad.gguf");
    GgufWriter.write(file, metadata, model.tensors());
    try (Context ctx = Context.open()) {
      assertThatThrownBy(() -> LanguageModel.open(ctx, file))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(message.formatted(file));
    }
  }

  @Test
  void otherFiles() throws IOException {
    model.written(folder, GgufType.F32);
    refused(
        "[load] the metadata must have general.architecture; got %s without it; it is no language"
            + " model, or damaged.",
        Map.of());
    Map<String, Object> other = TinyModel.metadata("llama");
    other.remove("llama.context_length");
    refused(
        "[load] the metadata must have llama.context_length; got %s without it; it is no language"
            + " model, or damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.attention.head_count_kv", 3);
    refused(
        "[load] the heads of keys must divide those of queries; got other metadata in %s; the file"
            + " is damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.block_count", 0);
    refused(
        "[load] llama.block_count must be from 1 to 2^24; got other metadata in %s; the file is"
            + " damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.rope.dimension_count", 10);
    refused(
        "[load] rotations must fit into a head; got other metadata in %s; the file is damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.block_count", LAYERS + 1);
    refused(
        "[load] the file must have a tensor 'blk.2.attn_norm.weight'; got %s with 20 others; check"
            + " that the file is complete.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.embedding_length", 2 * WIDTH);
    refused(
        "[load] token_embd.weight must have the shape [259,64]; got f32[259,32] in %s; the file is"
            + " damaged or of another model.",
        other);
  }

  @Test
  void otherArchitecturesAndTypes() throws IOException {
    model.written(folder, GgufType.F32);
    Map<String, Object> other = new LinkedHashMap<>();
    TinyModel.metadata("rwkv")
        .forEach((key, value) -> other.put(key.replace("llama.", "rwkv."), value));
    refused("[load] the architecture must be llama; got rwkv in %s; choose another model.", other);
    model
        .tensors()
        .set(
            0,
            new GgufTensor(
                "token_embd.weight",
                GgufType.Q5_0,
                Shape.of(WORDS, WIDTH),
                MemorySegment.ofArray(new byte[22 * WORDS])));
    refused(
        "[load] tensors must be F32, F16, BF16, or matrices of Q8_0, Q4_0, Q4_K or Q6_K; got"
            + " token_embd.weight q5_0[259,32] in %s; quantize the model to one of these.",
        TinyModel.metadata("llama"));
  }
}
