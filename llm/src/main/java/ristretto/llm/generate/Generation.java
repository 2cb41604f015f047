package ristretto.llm.generate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/** Generation of a request's tokens. Safe for use by several threads. */
public final class Generation {
  private final Generator generator;
  private final Request request;
  private final Listener listener;
  private final Sampler sampler;
  private final StreamedText text;
  private final StringBuilder all = new StringBuilder();
  private final List<Integer> generated = Collections.synchronizedList(new ArrayList<>());
  private final Sequence sequence;
  private volatile boolean cancelled;
  private volatile Ending ending;
  private volatile RuntimeException failure;

  /** Leading tokens of the prompt that were found in the cache. */
  private volatile int reused;

  Generation(Generator generator, Request request, Listener listener, int vocabulary) {
    this.generator = generator;
    this.request = request;
    this.listener = listener;
    this.sampler = new Sampler(request.sampling(), vocabulary);
    this.text = new StreamedText(request.stops(), request.json());
    this.sequence = new Sequence(request.prompt());
  }

  /** The request. */
  public Request request() {
    return request;
  }

  /** Ends the generation before its next token. */
  public void cancel() {
    cancelled = true;
  }

  /** Reason for the end; empty while the generation goes on. */
  public Optional<Ending> ending() {
    return Optional.ofNullable(ending);
  }

  /** Error that ended the generation. */
  public Optional<RuntimeException> failure() {
    return Optional.ofNullable(failure);
  }

  /** Generated tokens so far. */
  public List<Integer> tokens() {
    synchronized (generated) {
      return List.copyOf(generated);
    }
  }

  /** Text of the generated tokens so far, without a stop text. */
  public String text() {
    synchronized (all) {
      return all.toString();
    }
  }

  /** Number of leading tokens of the prompt that an earlier generation had left in the cache. */
  public int reused() {
    return reused;
  }

  /**
   * Generates until this generation ends, together with all others of the generator.
   *
   * @return the text
   * @throws RuntimeException the error that ended the generation
   */
  public String await() {
    while (ending == null) {
      generator.step();
    }
    if (failure != null) {
      throw failure;
    }
    return text();
  }

  Sequence sequence() {
    return sequence;
  }

  boolean isCancelled() {
    return cancelled;
  }

  void reused(int count) {
    reused = count;
  }

  /**
   * Chooses the next token.
   *
   * @param row row of the logits
   * @param end true for tokens that end a text
   * @param bytes text of a token
   * @return true if the generation goes on
   */
  boolean advance(float[] logits, int row, IntPredicate end, IntFunction<byte[]> bytes) {
    int token = sampler.next(logits, row, sequence);
    if (end.test(token)) {
      finish(Ending.STOP);
      return false;
    }
    sequence.add(token);
    generated.add(token);
    give(text.add(bytes.apply(token)));
    if (text.ended()) {
      finish(Ending.STOP);
    } else if (generated.size() >= request.most()) {
      finish(Ending.LENGTH);
    }
    return ending == null;
  }

  private void give(String some) {
    if (!some.isEmpty()) {
      synchronized (all) {
        all.append(some);
      }
      listener.text(some);
    }
  }

  /** Ends the generation; its last text is given out before. */
  void finish(Ending why) {
    try {
      give(text.end());
      ending = why;
    } catch (RuntimeException e) {
      failure = e;
      ending = Ending.FAILED;
    }
    listener.ended(this);
  }

  void fail(RuntimeException cause) {
    failure = cause;
    ending = Ending.FAILED;
    listener.ended(this);
  }
}
