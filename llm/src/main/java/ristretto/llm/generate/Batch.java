package ristretto.llm.generate;

import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.take;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.llm.LanguageModel;
import ristretto.llm.model.Network;

/**
 * Evaluation of a model for new tokens. Programs are recorded for numbers of tokens and capacities
 * of sequences. They read tokens, positions and slots from tensors, so that one program serves all
 * positions.
 */
final class Batch {
  /** Capacity of the smallest program. */
  private static final int LEAST_CAPACITY = 64;

  private static final int TOKEN = 0;
  private static final int POSITION = 1;
  private static final int PLACE = 2;

  /** Row whose logits are wanted. */
  private static final int LAST = 3;

  private static final int KINDS = 4;

  private final LanguageModel model;
  private final Context ctx;
  private final KeyValueCache cache;
  private final int most;

  /** Inputs of the tokens, {@code [kinds, most tokens]}. */
  private final Tensor<I32> inputs;

  private final int[] staged;

  /** Slots of the tokens of sequences, by row of the batch. */
  private final Tensor<I32> slots;

  /** Slots of the tokens of the sequence that is read, {@code [1, capacity]}. */
  private final Tensor<I32> ownSlots;

  private final int[] stagedSlots;

  /** Positions of a sequence. */
  private final Tensor<I32> order;

  private final Tensor<F32> logits;
  private final float[] read;
  private final Map<Size, Step> steps = new HashMap<>();

  /** Size of a program. */
  private record Size(boolean one, int tokens, int capacity) {}

  /** Program with its results. */
  private record Step(Program program, Tensor<F32> logits, MemorySegment values) {}

  /**
   * Creates the memory of a batch.
   *
   * @param rows most sequences of a batch
   * @param block most tokens of one sequence that are read at once
   * @param longest most tokens of a sequence
   */
  Batch(LanguageModel model, KeyValueCache cache, int rows, int block, int longest) {
    this.model = model;
    this.ctx = model.context();
    this.cache = cache;
    int padded = roundedUp(rows);
    int vocabulary = Math.toIntExact(model.network().vocabulary());
    most = Math.max(padded, padded(block));
    inputs = ctx.zeros(Ops.I32, KINDS, most);
    staged = new int[KINDS * most];
    slots = ctx.zeros(Ops.I32, padded, capacity(longest));
    ownSlots = ctx.zeros(Ops.I32, 1, capacity(longest));
    stagedSlots = new int[capacity(longest)];
    order = ctx.arange(Ops.I32, capacity(longest));
    logits = ctx.zeros(Ops.F32, padded, vocabulary);
    read = new float[padded * vocabulary];
  }

  private static int roundedUp(int n) {
    return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
  }

  private static int capacity(int length) {
    return roundedUp(Math.max(LEAST_CAPACITY, length));
  }

  /** Number of tokens, with padding, for which there is a program. */
  private static int padded(int tokens) {
    return tokens <= 64 ? roundedUp(tokens) : (tokens + 63) / 64 * 64;
  }

  /** Puts the slots of a sequence, from a position on, into a row of the batch. */
  void place(Sequence sequence, int row, int from) {
    copySlots(sequence, from, sequence.room(), slots.slice(at(row)));
  }

  private void copySlots(Sequence sequence, int from, int end, Tensor<I32> to) {
    sequence.slots(from, end - from, stagedSlots);
    var values = MemorySegment.ofArray(stagedSlots).asSlice(0, 4L * (end - from));
    ctx.copy(values, to.slice(range(from, end)));
  }

  /**
   * Reads tokens of a sequence, whose keys and values are stored.
   *
   * @param from position of the first token
   * @return logits after the last one, until the next call
   */
  float[] read(Sequence sequence, int from, int count) {
    int capacity = capacity(from + count);
    copySlots(sequence, 0, Math.min(capacity, sequence.room()), ownSlots.slice(at(0)));
    int padded = padded(count);
    for (int k = 0; k < padded; k++) {
      int position = from + Math.min(k, count - 1);
      stage(k, sequence.token(position), position, k < count ? sequence.slot(position) : 0);
    }
    staged[LAST * most] = count - 1;
    return run(steps.computeIfAbsent(new Size(true, padded, capacity), this::recorded));
  }

  /**
   * Reads the last token of each sequence, whose rows are their indices.
   *
   * @return logits, row by row, until the next call
   */
  float[] next(List<Sequence> sequences) {
    int padded = roundedUp(sequences.size());
    int longest = 0;
    for (int k = 0; k < padded; k++) {
      if (k < sequences.size()) {
        Sequence s = sequences.get(k);
        int position = s.length() - 1;
        stage(k, s.token(position), position, s.slot(position));
        longest = Math.max(longest, s.length());
      } else {
        stage(k, 0, 0, 0);
      }
    }
    return run(steps.computeIfAbsent(new Size(false, padded, capacity(longest)), this::recorded));
  }

  private void stage(int k, int token, int position, int place) {
    staged[TOKEN * most + k] = token;
    staged[POSITION * most + k] = position;
    staged[PLACE * most + k] = place;
  }

  private float[] run(Step step) {
    ctx.copy(MemorySegment.ofArray(staged), inputs);
    step.program.run();
    ctx.copy(step.logits, step.values);
    return read;
  }

  private Tensor<I32> input(int kind, int tokens) {
    return inputs.slice(at(kind), range(0, tokens));
  }

  private Step recorded(Size size) {
    int results = size.one ? 1 : size.tokens;
    Tensor<F32> to = logits.slice(range(0, results));
    Tensor<I32> positions = input(POSITION, size.tokens);
    Tensor<I32> seen =
        (size.one ? ownSlots : slots).slice(range(0, results), range(0, size.capacity));
    var attention =
        new CachedAttention(
            ctx,
            model.sizes(),
            cache,
            input(PLACE, size.tokens),
            positions,
            seen,
            order.slice(range(0, size.capacity)));
    Network network = model.network();
    Program program =
        ctx.recordTransient(() -> {
          Expr<F32> hidden = network.hidden(input(TOKEN, size.tokens), positions, attention);
          Expr<F32> last = size.one ? take(hidden, input(LAST, 1), 0) : hidden;
          ctx.assign(to, network.logits(last));
        });
    long bytes = 4 * to.shape().size();
    return new Step(program, to, MemorySegment.ofArray(read).asSlice(0, bytes));
  }
}
