package ristretto.symbolic;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Tensor;

/**
 * Sessions of an executor, one for each thread that uses it. Whoever calls holds the context's
 * lock.
 */
final class Sessions {
  private final Context ctx;
  private final List<Session> all = new ArrayList<>();

  /** Values that inputs were given last, by any thread. */
  private final Map<Variable<?>, Tensor<?>> given = new IdentityHashMap<>();

  private final Map<Variable<?>, long[]> versions = new IdentityHashMap<>();
  private Session current;
  private Run last;

  /** Number of values given and runs made so far, which tells what came first. */
  private long events;

  private long lastAt;

  Sessions(Context ctx) {
    this.ctx = ctx;
  }

  /** The calling thread's session: its own, that of a thread that has ended, or a new one. */
  Session own() {
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
  void clearRuns() {
    all.forEach(s -> s.runs().clear());
  }

  /** Takes note of a value for an input; returns the number of this event. */
  long gave(Variable<?> input, Tensor<?> value) {
    given.put(input, value);
    versions.computeIfAbsent(input, _ -> new long[1])[0]++;
    return ++events;
  }

  /** Number of values that an input has been given. */
  long version(Variable<?> input) {
    return versions.computeIfAbsent(input, _ -> new long[1])[0];
  }

  Tensor<?> given(Variable<?> input) {
    return given.get(input);
  }

  /** Takes note of a run; returns the number of this event. */
  long ran(Run run) {
    last = run;
    lastAt = ++events;
    return lastAt;
  }

  Run last() {
    return last;
  }

  /** Number of the event of the last run. */
  long lastAt() {
    return lastAt;
  }

  /** True if another session has made a run. */
  boolean ranApartFrom(Session own) {
    for (Session s : all) {
      if (s != own && s.hasRun()) {
        return true;
      }
    }
    return false;
  }
}
