package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.causalAttention;
import static ristretto.symbolic.Layers.gelu;

import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.LayerNorm;

/**
 * GPT-2 (Radford et al., 2019) with the parameter names of Hugging Face's {@code GPT2Model}, and
 * tied weights for the logits. The file has the weights of its dense layers as {@code [in, out]}.
 *
 * @param longest number of position embeddings
 */
record Gpt2(long words, long width, long heads, int layers, long longest) {
  /** Logits of the next token: {@code tokens[n, t] -> [n, t, words]}. */
  Variable<F32> of(Variable<I32> tokens) {
    var table = new Embedding("wte", words, width);
    var places = new Embedding("wpe", longest, width);
    Variable<F32> y = table.of(tokens).plus(places.of(Heads.positions(tokens)));
    for (int k = 0; k < layers; k++) {
      String name = "h." + k + ".";
      Variable<F32> qkv =
          new Dense(name + "attn.c_attn", 3 * width).of(new LayerNorm(name + "ln_1").of(y));
      Variable<F32> seen =
          causalAttention(
              Heads.split(qkv, heads, 3, 0),
              Heads.split(qkv, heads, 3, 1),
              Heads.split(qkv, heads, 3, 2));
      y = y.plus(new Dense(name + "attn.c_proj", width).of(Heads.join(seen)));
      Variable<F32> h =
          new Dense(name + "mlp.c_fc", 4 * width).of(new LayerNorm(name + "ln_2").of(y));
      y = y.plus(new Dense(name + "mlp.c_proj", width).of(gelu(h)));
    }
    return table.logits(new LayerNorm("ln_f").of(y));
  }
}
