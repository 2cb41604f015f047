// Trains a GPT (Radford et al., 2018) with tied weights and rotary positions on the letters of the
// Psalms, and lets it write: letter by letter, with the keys and values of earlier letters in a
// cache.
//
//   ./ristretto run examples/Gpt.java [--quick]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

record Block(Layer norm, MultiHeadAttention heads, Layer dense) {
  static Block of(String name) {
    var heads = new MultiHeadAttention(name + ".attn", 4).causal().rotary(10_000);
    var wide = Sequential.of(new LayerNorm(name + ".ln2"), new Dense(name + ".up", 512));
    var dense = Sequential.of(wide, Layers::gelu, new Dense(name + ".down", 128));
    return new Block(new LayerNorm(name + ".ln1"), heads, dense);
  }

  Variable<F32> after(Variable<F32> x, Variable<F32> seen) {
    return x.plus(seen).plus(dense.of(x.plus(seen)));
  }
}

void main(String[] args) throws IOException {
  String text = Files.readString(Path.of("examples/data/psalms.train.txt"));
  int[] letters = text.chars().distinct().sorted().toArray();
  var table = new Embedding("table", letters.length, 128).weight(Initializer.normal(0.02));
  Variable<I32> words = Variable.input("words", I32, -1, -1);
  Variable<I32> position = Variable.input("position", I32, 1);
  Variable<F32> x = table.of(words);
  Variable<F32> y = x;
  var steps = new ArrayList<MultiHeadAttention.Step<F32>>();
  for (Block block : Stream.of("block.0", "block.1", "block.2").map(Block::of).toList()) {
    x = block.after(x, block.heads.of(block.norm.of(x)));
    steps.add(block.heads.step(block.norm.of(y), position, 500));
    y = block.after(y, steps.getLast().output());
  }
  var last = new LayerNorm("ln");
  Variable<I32> next = Variable.input("next", I32, -1, -1);
  Variable<F32> loss = softmaxCrossEntropy(table.logits(last.of(x)), next);
  try (var ctx = Context.open()) {
    Executor executor = trained(ctx, loss, text, letters, args.length > 0);
    var generation = new Generation(executor, words, position, table.logits(last.of(y)), steps);
    int[] written = generation.temperature(0.8).sample(new int[] {0}, 400, 1);
    IntStream.of(written).forEach(k -> IO.print(Character.toString(letters[k])));
    IO.println(String.format(Locale.ROOT, "\nresult: loss=%.3f", executor.tensor(loss).item()));
  }
}

static Executor trained(
    Context ctx, Variable<F32> loss, String text, int[] letters, boolean quick) {
  var executor = new Executor(ctx, 1, loss);
  var trainer = new Trainer(executor, loss, Optimizer.adamW(0.003).clip(1));
  String part = quick ? text.substring(0, 20_000) : text;
  int[] numbers = part.chars().map(c -> Arrays.binarySearch(letters, c)).toArray();
  trainer.train(new Batcher(Tokens.of(numbers).windows(128), 16).shuffled(1), 2);
  return executor;
}
