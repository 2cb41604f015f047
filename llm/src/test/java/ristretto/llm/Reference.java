package ristretto.llm;

import static ristretto.llm.TinyModel.EPSILON;
import static ristretto.llm.TinyModel.HEAD;
import static ristretto.llm.TinyModel.HEADS;
import static ristretto.llm.TinyModel.LAYERS;
import static ristretto.llm.TinyModel.WIDE;
import static ristretto.llm.TinyModel.WIDTH;

import java.util.Arrays;
import java.util.Map;

/** Logits of a {@link TinyModel}, by loops in double. */
final class Reference {
  private final TinyModel model;
  private final String architecture;
  private final boolean gpt;
  private final boolean phi;
  private final int keyHeads;
  private final int window;
  private final double stretch;
  private final double amplitude;

  Reference(TinyModel model, String architecture, Map<String, Object> more) {
    this.model = model;
    this.architecture = architecture;
    this.gpt = architecture.equals("gpt2");
    this.phi = architecture.equals("phi3");
    this.keyHeads = gpt ? HEADS : TinyModel.KEY_HEADS;
    this.window = (Integer) more.getOrDefault("attention.sliding_window", 1000);
    this.stretch = (Float) more.getOrDefault("rope.scaling.factor", 1f);
    this.amplitude = (Float) more.getOrDefault("rope.scaling.attn_factor", 1f);
  }

  double[][] logits(int[] tokens) {
    int n = tokens.length;
    var x = new double[n][WIDTH];
    for (int t = 0; t < n; t++) {
      for (int i = 0; i < WIDTH; i++) {
        x[t][i] = model.weight("token_embd.weight")[tokens[t]][i];
        x[t][i] += gpt ? model.weight("position_embd.weight")[t][i] : 0;
      }
    }
    for (int layer = 0; layer < LAYERS; layer++) {
      String of = "blk." + layer + ".";
      double[][] h = normal(x, of + "attn_norm");
      double[][] q;
      double[][] k;
      double[][] v;
      if (gpt || phi) {
        double[][] all = product(h, of + "attn_qkv");
        int keys = keyHeads * HEAD;
        q = columns(all, 0, WIDTH);
        k = columns(all, WIDTH, WIDTH + keys);
        v = columns(all, WIDTH + keys, WIDTH + 2 * keys);
      } else {
        q = product(h, of + "attn_q");
        k = product(h, of + "attn_k");
        v = product(h, of + "attn_v");
      }
      if (architecture.equals("qwen3")) {
        normalizeHeads(q, of + "attn_q_norm.weight");
        normalizeHeads(k, of + "attn_k_norm.weight");
      }
      if (!gpt) {
        rotate(q);
        rotate(k);
      }
      add(x, product(attended(q, k, v), of + "attn_output"));
      add(x, product(fed(normal(x, of + "ffn_norm"), of), of + "ffn_down"));
    }
    return product(normal(x, "output_norm"), "token_embd");
  }

  private double[][] fed(double[][] g, String of) {
    double[][] up = product(g, of + "ffn_up");
    double[][] gate = gpt ? up : phi ? columns(up, 0, WIDE) : product(g, of + "ffn_gate");
    double[][] opened = phi ? columns(up, WIDE, 2 * WIDE) : up;
    for (int t = 0; t < g.length; t++) {
      for (int i = 0; i < WIDE; i++) {
        double a = gate[t][i];
        opened[t][i] =
            gpt
                ? a / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (a + 0.044715 * a * a * a)))
                : opened[t][i] * a / (1 + Math.exp(-a));
      }
    }
    return opened;
  }

  private static double[][] columns(double[][] x, int from, int to) {
    return Arrays.stream(x).map(row -> Arrays.copyOfRange(row, from, to)).toArray(double[][]::new);
  }

  private double[][] product(double[][] x, String name) {
    float[][] w = model.weight(name + ".weight");
    float[][] bias = model.weight(name + ".bias");
    var y = new double[x.length][w.length];
    for (int t = 0; t < x.length; t++) {
      for (int j = 0; j < w.length; j++) {
        y[t][j] = bias == null ? 0 : bias[0][j];
        for (int i = 0; i < w[j].length; i++) {
          y[t][j] += x[t][i] * w[j][i];
        }
      }
    }
    return y;
  }

  private double[][] normal(double[][] x, String name) {
    float[] weight = model.weight(name + ".weight")[0];
    float[][] bias = model.weight(name + ".bias");
    var y = new double[x.length][];
    for (int t = 0; t < x.length; t++) {
      double mean = gpt ? Arrays.stream(x[t]).average().orElseThrow() : 0;
      double square = Arrays.stream(x[t]).map(e -> (e - mean) * (e - mean)).sum() / WIDTH;
      y[t] = new double[WIDTH];
      for (int i = 0; i < WIDTH; i++) {
        y[t][i] = (x[t][i] - mean) / Math.sqrt(square + EPSILON) * weight[i];
        y[t][i] += bias == null ? 0 : bias[0][i];
      }
    }
    return y;
  }

  private void normalizeHeads(double[][] x, String name) {
    float[] weight = model.weight(name)[0];
    for (double[] row : x) {
      for (int head = 0; head < row.length; head += HEAD) {
        double square = 0;
        for (int i = 0; i < HEAD; i++) {
          square += row[head + i] * row[head + i];
        }
        for (int i = 0; i < HEAD; i++) {
          row[head + i] *= weight[i] / Math.sqrt(square / HEAD + EPSILON);
        }
      }
    }
  }

  private void rotate(double[][] x) {
    boolean adjacent = architecture.equals("llama");
    String factors = amplitude == 1 ? "rope_factors_short.weight" : "rope_factors_long.weight";
    for (int t = 0; t < x.length; t++) {
      for (int head = 0; head < x[t].length; head += HEAD) {
        for (int i = 0; i < HEAD / 2; i++) {
          double angle = t / stretch * Math.pow(10_000, -2.0 * i / HEAD);
          angle /= phi ? model.weight(factors)[0][i] : 1;
          int first = head + (adjacent ? 2 * i : i);
          int second = adjacent ? first + 1 : first + HEAD / 2;
          double a = x[t][first] * amplitude;
          double b = x[t][second] * amplitude;
          x[t][first] = a * Math.cos(angle) - b * Math.sin(angle);
          x[t][second] = a * Math.sin(angle) + b * Math.cos(angle);
        }
      }
    }
  }

  private double[][] attended(double[][] q, double[][] k, double[][] v) {
    var y = new double[q.length][WIDTH];
    for (int t = 0; t < q.length; t++) {
      for (int head = 0; head < HEADS; head++) {
        int key = head / (HEADS / keyHeads) * HEAD;
        var weight = new double[t + 1];
        double total = 0;
        for (int s = Math.max(0, t - window + 1); s <= t; s++) {
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
}
