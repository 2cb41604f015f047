package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.causalAttention;
import static ristretto.symbolic.Layers.rotary;
import static ristretto.symbolic.Layers.silu;

import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.RmsNorm;

/**
 * Llama (Touvron et al., 2023) with the parameter names of Hugging Face's {@code LlamaForCausalLM}.
 *
 * @param groups number of heads of keys and values; must divide the heads
 * @param inner width of the feed-forward layers
 */
record Llama(long words, long width, long heads, long groups, int layers, long inner) {
  /** Logits of the next token: {@code tokens[n, t] -> [n, t, words]}. */
  Variable<F32> of(Variable<I32> tokens) {
    Variable<F32> y = new Embedding("model.embed_tokens", words, width).of(tokens);
    for (int k = 0; k < layers; k++) {
      y = block("model.layers." + k + ".", y);
    }
    return dense("lm_head", norm("model.norm", y), words);
  }

  private Variable<F32> block(String name, Variable<F32> v) {
    Variable<F32> x = norm(name + "input_layernorm", v);
    String self = name + "self_attn.";
    long narrow = width / heads * groups;
    Variable<F32> q = rotary(Heads.split(dense(self + "q_proj", x, width), heads), 10_000);
    Variable<F32> k = rotary(Heads.split(dense(self + "k_proj", x, narrow), groups), 10_000);
    Variable<F32> values = Heads.split(dense(self + "v_proj", x, narrow), groups);
    long times = heads / groups;
    Variable<F32> seen = causalAttention(q, Heads.repeat(k, times), Heads.repeat(values, times));
    Variable<F32> y = v.plus(dense(self + "o_proj", Heads.join(seen), width));
    Variable<F32> h = norm(name + "post_attention_layernorm", y);
    Variable<F32> gate = silu(dense(name + "mlp.gate_proj", h, inner));
    Variable<F32> up = dense(name + "mlp.up_proj", h, inner);
    return y.plus(dense(name + "mlp.down_proj", gate.times(up), width));
  }

  private static Variable<F32> dense(String name, Variable<F32> v, long units) {
    return new Dense(name, units).bias(false).of(v);
  }

  private static Variable<F32> norm(String name, Variable<F32> v) {
    return new RmsNorm(name).epsilon(1e-5).of(v);
  }
}
