package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.attention;
import static ristretto.symbolic.Layers.geluErf;
import static ristretto.symbolic.Layers.tanh;
import static ristretto.symbolic.Layers.unsqueeze;

import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.LayerNorm;

/**
 * BERT (Devlin et al., 2019) with the parameter names of Hugging Face's {@code BertModel}.
 *
 * @param longest number of position embeddings
 * @param inner width of the feed-forward layers
 */
record Bert(long words, long width, long heads, int layers, long longest, long inner) {
  /**
   * Hidden states of the last layer: {@code tokens[n, t] -> [n, t, width]}.
   *
   * @param types segment of each token, 0 or 1, {@code [n, t]}
   * @param mask true for tokens, false for padding, {@code [n, t]}
   */
  Variable<F32> of(Variable<I32> tokens, Variable<I32> types, Variable<BOOL> mask) {
    String e = "embeddings.";
    Variable<F32> y =
        new Embedding(e + "word_embeddings", words, width)
            .of(tokens)
            .plus(
                new Embedding(e + "position_embeddings", longest, width)
                    .of(Heads.positions(tokens)))
            .plus(new Embedding(e + "token_type_embeddings", 2, width).of(types));
    y = norm(e + "LayerNorm", y);
    Variable<BOOL> keys = unsqueeze(unsqueeze(mask, 1), 1);
    for (int k = 0; k < layers; k++) {
      String name = "encoder.layer." + k + ".";
      Variable<F32> seen =
          attention(
              Heads.split(dense(name + "attention.self.query", y, width), heads),
              Heads.split(dense(name + "attention.self.key", y, width), heads),
              Heads.split(dense(name + "attention.self.value", y, width), heads),
              keys);
      Variable<F32> mixed = dense(name + "attention.output.dense", Heads.join(seen), width);
      y = norm(name + "attention.output.LayerNorm", y.plus(mixed));
      Variable<F32> h = geluErf(dense(name + "intermediate.dense", y, inner));
      y = norm(name + "output.LayerNorm", y.plus(dense(name + "output.dense", h, width)));
    }
    return y;
  }

  /** Pooled state of the first token: {@code states[n, t, width] -> [n, width]}. */
  Variable<F32> pooled(Variable<F32> states) {
    Variable<F32> first = Layers.slice(states, Ops.all(), Ops.at(0));
    return tanh(dense("pooler.dense", first, width));
  }

  private static Variable<F32> dense(String name, Variable<F32> v, long units) {
    return new Dense(name, units).of(v);
  }

  private static Variable<F32> norm(String name, Variable<F32> v) {
    return new LayerNorm(name).epsilon(1e-12).of(v);
  }
}
