package ristretto.llm.generate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import ristretto.kernels.ShapeException;
import ristretto.llm.LanguageModel;
import ristretto.llm.token.Tokenizer;

/**
 * Generation of text for any number of requests at a time. Each step reads a block of the prompt of
 * one request, and generates one token for each request whose prompt was read: requests join and
 * leave the batch at any step. Keys and values of ended requests stay in the cache as long as there
 * is room, for prompts with the same begin.
 *
 * <p>Safe for use by several threads. Steps run one after the other, on the thread that calls
 * {@link #step} or {@link Generation#await}; listeners are called on this thread.
 */
public final class Generator {
  private final LanguageModel model;
  private final GeneratorOptions options;
  private final KeyValueCache cache;
  private final Batch batch;
  private final Set<Integer> ends;

  /** Requests without a row, in the order in which they get one. */
  private final Deque<Generation> waiting = new ArrayDeque<>();

  /** Requests whose prompt is read, in the order in which they came. */
  private final Deque<Generation> reading = new ArrayDeque<>();

  /** Requests whose tokens are generated, by row of the batch. */
  private final List<Generation> writing = new ArrayList<>();

  /** Sequences of ended requests, the one that was used last at the end. */
  private final Deque<Sequence> left = new ArrayDeque<>();

  /** Creates a generator with the default options. */
  public Generator(LanguageModel model) {
    this(model, GeneratorOptions.of(model));
  }

  /** Creates a generator. */
  public Generator(LanguageModel model, GeneratorOptions options) {
    this.model = model;
    this.options = options;
    int pages = Math.ceilDiv(options.cacheTokens(), KeyValueCache.PAGE);
    this.cache = new KeyValueCache(model.context(), model.sizes(), pages);
    this.batch = new Batch(model, cache, options.sequences(), options.block(), options.longest());
    this.ends = model.tokenizer().map(t -> t.vocabulary().ends()).orElse(Set.of());
  }

  /** Options of this generator. */
  public GeneratorOptions options() {
    return options;
  }

  /** Model of this generator. */
  public LanguageModel model() {
    return model;
  }

  /**
   * Adds a request.
   *
   * @param listener gets each piece of the text as soon as it is generated
   * @throws ShapeException if the prompt has a token that the model does not know, or leaves no
   *     room for a token
   */
  public Generation submit(Request request, Listener listener) {
    int size = request.prompt().size();
    if (size >= options.longest()) {
      throw new ShapeException(
          ("[generate] the prompt must have fewer tokens than the longest sequence; got %s for %s;"
                  + " shorten it, or open the generator with a larger context.")
              .formatted(size, options.longest()));
    }
    long vocabulary = model.network().vocabulary();
    for (int token : request.prompt()) {
      if (token < 0 || token >= vocabulary) {
        throw new ShapeException(
            "[generate] tokens must be from 0 to %s; got %s; use the tokenizer of the model."
                .formatted(vocabulary - 1, token));
      }
    }
    var generation = new Generation(this, request, listener, (int) vocabulary);
    synchronized (waiting) {
      waiting.add(generation);
    }
    return generation;
  }

  /**
   * Tokenizer of the model.
   *
   * @throws ShapeException if it has none
   */
  public Tokenizer requireTokenizer() {
    return model
        .tokenizer()
        .orElseThrow(() ->
            new ShapeException(
                "[generate] the model must have a tokenizer for text; got one without; submit"
                    + " tokens."));
  }

  /** Generates the text that follows a text. */
  public String generate(String text, Sampling sampling, int most) {
    List<Integer> prompt = requireTokenizer().prompt(text);
    return submit(new Request(prompt, sampling, most), _ -> {}).await();
  }

  /**
   * Reads a block of a prompt, and generates a token for each request whose prompt was read.
   *
   * @return false if there was nothing to do
   */
  public synchronized boolean step() {
    dropCancelled();
    admit();
    boolean any = !reading.isEmpty() || !writing.isEmpty();
    if (!reading.isEmpty()) {
      guarded(List.of(reading.peek()), this::readBlock);
    }
    if (!writing.isEmpty()) {
      guarded(List.copyOf(writing), this::write);
    }
    return any;
  }

  /** Number of requests that have not ended. */
  public synchronized int active() {
    synchronized (waiting) {
      return waiting.size() + reading.size() + writing.size();
    }
  }

  /** Runs a part of a step; an error ends the requests that it was for, and no others. */
  private void guarded(List<Generation> of, Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      for (Generation g : of) {
        leave(g);
        g.sequence().release(cache);
        // A listener that fails at the end of its request is told no more.
        if (g.ending().isEmpty()) {
          g.fail(e);
        }
      }
    }
  }

  private void dropCancelled() {
    synchronized (waiting) {
      for (Iterator<Generation> i = waiting.iterator(); i.hasNext(); ) {
        Generation g = i.next();
        if (g.isCancelled()) {
          i.remove();
          g.finish(Ending.CANCELLED);
        }
      }
    }
    var all = new ArrayList<>(reading);
    all.addAll(writing);
    for (Generation g : all) {
      if (g.isCancelled()) {
        end(g, Ending.CANCELLED);
      }
    }
  }

  /** Lets requests begin as long as there are rows, and pages for their prompts. */
  private void admit() {
    while (reading.size() + writing.size() < options.sequences()) {
      Generation next;
      synchronized (waiting) {
        next = waiting.peek();
      }
      if (next == null) {
        return;
      }
      Sequence sequence = next.sequence();
      if (next.request().most() == 0) {
        next.finish(Ending.LENGTH);
      } else {
        inherit(next);
        if (!reserve(sequence, sequence.length() + 1)) {
          sequence.release(cache);
          return;
        }
        reading.add(next);
      }
      synchronized (waiting) {
        waiting.remove(next);
      }
    }
  }

  /** Takes over the pages of the ended request that shares most tokens. */
  private void inherit(Generation g) {
    Sequence sequence = g.sequence();
    Sequence best = null;
    int most = KeyValueCache.PAGE - 1;
    for (Sequence s : left) {
      int common = Math.min(s.common(sequence), sequence.length() - 1);
      if (common > most) {
        best = s;
        most = common;
      }
    }
    if (best != null) {
      left.remove(best);
      sequence.inherit(best, most, cache);
      g.reused(Math.min(most, g.request().prompt().size()));
    }
  }

  /**
   * Takes pages for a number of tokens, from those of ended requests if there are no others.
   *
   * @return false if there are too few, which the sequence then does not have either
   */
  private boolean reserve(Sequence sequence, int tokens) {
    int missing = Math.ceilDiv(tokens - sequence.room(), KeyValueCache.PAGE);
    while (cache.available() < missing && !left.isEmpty()) {
      left.remove().release(cache);
    }
    if (cache.available() < missing) {
      return false;
    }
    for (int k = 0; k < missing; k++) {
      sequence.addPage(cache.take());
    }
    return true;
  }

  private void readBlock() {
    Generation g = reading.peek();
    Sequence sequence = g.sequence();
    int from = sequence.stored();
    int count = Math.min(options.block(), sequence.length() - from);
    float[] logits = batch.read(sequence, from, count);
    sequence.stored(from + count);
    if (sequence.stored() == sequence.length()) {
      reading.remove();
      batch.place(sequence, writing.size(), 0);
      writing.add(g);
      advance(g, logits, 0);
    }
  }

  private void write() {
    for (Generation g : List.copyOf(writing)) {
      if (writing.contains(g)) {
        makeRoom(g);
      }
    }
    if (writing.isEmpty()) {
      return;
    }
    List<Generation> all = List.copyOf(writing);
    float[] logits = batch.next(all.stream().map(Generation::sequence).toList());
    for (int k = 0; k < all.size(); k++) {
      Generation g = all.get(k);
      g.sequence().stored(g.sequence().length());
      int row = k;
      guarded(List.of(g), () -> advance(g, logits, row));
    }
  }

  /** Makes room for the last token of a sequence, if necessary by letting later requests wait. */
  private void makeRoom(Generation g) {
    Sequence sequence = g.sequence();
    int before = sequence.room();
    while (!reserve(sequence, sequence.length())) {
      Generation last = reading.isEmpty() ? writing.getLast() : reading.getLast();
      if (last == g && reading.size() + writing.size() == 1) {
        end(g, Ending.LENGTH);
        return;
      }
      leave(last);
      last.sequence().release(cache);
      synchronized (waiting) {
        waiting.addFirst(last);
      }
      if (last == g) {
        return;
      }
    }
    if (sequence.room() > before) {
      batch.place(sequence, writing.indexOf(g), before);
    }
  }

  private void advance(Generation g, float[] logits, int row) {
    boolean goesOn = g.advance(logits, row, ends::contains, this::bytes);
    if (!goesOn) {
      leave(g);
      left.add(g.sequence());
    } else if (g.sequence().length() >= options.longest()) {
      end(g, Ending.LENGTH);
    }
  }

  /** Text of a token; networks may have more tokens than the tokenizer. */
  private byte[] bytes(int token) {
    return model
        .tokenizer()
        .filter(t -> token < t.vocabulary().size())
        .map(t -> t.bytes(token))
        .orElse(new byte[0]);
  }

  private void end(Generation g, Ending why) {
    leave(g);
    left.add(g.sequence());
    g.finish(why);
  }

  /** Removes a request from the batch; the last row takes its place. */
  private void leave(Generation g) {
    reading.remove(g);
    int row = writing.indexOf(g);
    if (row < 0) {
      return;
    }
    Generation last = writing.removeLast();
    if (last != g) {
      writing.set(row, last);
      batch.place(last.sequence(), row, 0);
    }
  }
}
