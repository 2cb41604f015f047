package ristretto.onednn;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.List;
import ristretto.kernels.cpu.convolution.ConvolutionRoutine;

/** Convolution as primitives of oneDNN in phases, prepared once and run repeatedly. */
final class Routine implements ConvolutionRoutine {
  private static final Cleaner CLEANER = Cleaner.create();

  private final String words;
  private final List<Phase> phases;
  private final long sharedBytes;
  private final long scratchBytes;
  private final Handles handles;

  /** Workers that no thread uses at the moment. */
  private final ArrayDeque<Worker> idle = new ArrayDeque<>();

  private int workers;

  Routine(String words, List<Phase> phases, Room shared, Room scratch, Handles handles) {
    this.words = words;
    this.phases = List.copyOf(phases);
    this.sharedBytes = shared.bytes();
    this.scratchBytes = scratch.bytes();
    this.handles = handles;
    CLEANER.register(this, handles);
  }

  @Override
  public String words() {
    return words;
  }

  @Override
  public int phases() {
    return phases.size();
  }

  @Override
  public int shares(int phase) {
    return phases.get(phase).shares();
  }

  @Override
  public long sharedBytes() {
    return sharedBytes;
  }

  @Override
  public long scratchBytes() {
    return scratchBytes;
  }

  @Override
  public synchronized void reserve(int threads) {
    while (workers < threads) {
      idle.push(worker());
    }
  }

  private Worker worker() {
    workers++;
    return new Worker(phases, handles);
  }

  private synchronized Worker take() {
    return idle.isEmpty() ? worker() : idle.pop();
  }

  private synchronized void give(Worker worker) {
    idle.push(worker);
  }

  @Override
  public void run(
      int phase,
      int from,
      int to,
      long image,
      long filter,
      long result,
      long shared,
      long scratch) {
    Worker worker = take();
    int threads = OneDnn.alone();
    try {
      worker.base(Place.Base.IMAGE, image);
      worker.base(Place.Base.FILTER, filter);
      worker.base(Place.Base.RESULT, result);
      worker.base(Place.Base.SHARED, shared);
      worker.base(Place.Base.SCRATCH, scratch);
      int end = phases.get(phase).shares() - 1;
      for (int share = from; share < to; share++) {
        worker.run(phase, share, share == end);
      }
    } finally {
      OneDnn.restore(threads);
      give(worker);
      Reference.reachabilityFence(this);
    }
  }
}
