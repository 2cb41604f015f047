package ristretto.symbolic.run;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.symbolic.graph.Variable;

/**
 * Sessions of an executor, one for each thread that uses the executor. Callers hold the context's
 * lock.
 */
public final class Sessions {
  private final Context ctx;
  private final List<Session> all = new ArrayList<>();

  /** Latest value of each input, from any thread. */
  private final Map<Variable<?>, InputValue> given = new IdentityHashMap<>();

  /** Runs by threads that had set inputs themselves, or of models without inputs. */
  private final LatestEvent ownRuns = new LatestEvent();

  private final LatestEvent backwardPasses = new LatestEvent();
  private Session current;
  private Run last;

  /** Number of events so far (values set and runs made), which orders them. */
  private long events;

  private long lastAt;

  public Sessions(Context ctx) {
    this.ctx = ctx;
  }

  /**
   * Returns the calling thread's session: its own, that of a thread that has ended, or a new one.
   */
  public Session own() {
    Thread thread = Thread.currentThread();
    if (current == null || !current.isOf(thread)) {
      current = find(thread);
    }
    return current;
  }

  private Session find(Thread thread) {
    for (Session s : all) {
      if (s.isOf(thread)) {
        return s;
      }
    }
    for (Session s : all) {
      if (s.isFree()) {
        s.take(thread);
        return s;
      }
    }
    var fresh = new Session(ctx, this);
    all.add(fresh);
    return fresh;
  }

  /** Forgets all recorded runs. */
  public void clearRuns() {
    all.forEach(s -> s.runs().clear());
  }

  /**
   * Records a value for an input; returns the number of this event.
   *
   * @param host elements of the value, or null
   */
  long gave(Variable<?> input, Tensor<?> value, int[] host, WeakReference<Thread> thread) {
    given.computeIfAbsent(input, _ -> new InputValue()).give(value, host, thread, ++events);
    return events;
  }

  /** Returns the latest value of an input, from any thread, or null. */
  InputValue given(Variable<?> input) {
    return given.get(input);
  }

  /**
   * Records a run; returns the number of this event.
   *
   * @param own false if the inputs were set by other threads
   */
  long ran(Run run, boolean own, WeakReference<Thread> thread) {
    last = run;
    lastAt = ++events;
    if (own) {
      ownRuns.note(thread, lastAt);
    }
    if (run.mode() != Run.Mode.EVALUATE) {
      backwardPasses.note(thread, lastAt);
    }
    return lastAt;
  }

  Run last() {
    return last;
  }

  /** Returns the event number of the last run. */
  long lastAt() {
    return lastAt;
  }

  /**
   * Returns true if the last run had its thread's own inputs, and several threads have made such
   * runs.
   */
  boolean isLastOfSeveral() {
    return ownRuns.isOfSeveral() && ownRuns.at() == lastAt;
  }

  /** Returns the record of runs that have computed gradients. */
  LatestEvent backwardPasses() {
    return backwardPasses;
  }

  /** Returns true if another session has made a run. */
  boolean ranApartFrom(Session own) {
    for (Session s : all) {
      if (s != own && s.hasRun()) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if another thread that has not ended has made a run. */
  boolean othersRunApartFrom(Session own) {
    for (Session s : all) {
      if (s != own && s.isOfRunner()) {
        return true;
      }
    }
    return false;
  }
}
