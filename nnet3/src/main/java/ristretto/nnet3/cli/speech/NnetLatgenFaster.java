package ristretto.nnet3.cli.speech;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import ristretto.expr.Context;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ComputeOptions;
import ristretto.nnet3.cli.options.EvaluationModel;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.options.UtteranceInputs;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.decode.ChunkLengths;
import ristretto.nnet3.decode.SplitOptions;
import ristretto.nnet3.decode.SplitStrategy;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.ReadFst;
import ristretto.nnet3.fst.SymbolTable;
import ristretto.nnet3.hmm.TransitionModel;
import ristretto.nnet3.hmm.Transitions;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.lattice.CompactLattice;
import ristretto.nnet3.lattice.DeterminizeLattice;
import ristretto.nnet3.lattice.LatticePath;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.search.BeamSearch;
import ristretto.nnet3.search.SearchOptions;

/** Recognizes utterances, and writes their lattices. */
public final class NnetLatgenFaster extends Tool {
  private static final SearchOptions NORMAL = SearchOptions.DEFAULT;

  private final ComputeOptions compute = new ComputeOptions(options, 0.1f);
  private final UtteranceInputs inputs = new UtteranceInputs(options);
  private final Option<Boolean> onlyFinite = options.onlyFinite();
  private final Option<Float> beam =
      options.real("beam", (float) NORMAL.beam(), "Beam of the search");
  private final Option<Integer> maxActive =
      options.integer("max-active", NORMAL.maxActive(), "Maximum number of states per frame");
  private final Option<Integer> minActive =
      options.integer(
          "min-active", NORMAL.minActive(), "Widen the beam until this many states are left");
  private final Option<Float> latticeBeam =
      options.real("lattice-beam", (float) NORMAL.latticeBeam(), "Beam of the lattice");
  private final Option<Integer> pruneInterval =
      options.integer(
          "prune-interval", NORMAL.pruneInterval(), "Frames between prunings of the lattice");
  private final Option<Float> beamDelta =
      options.real(
          "beam-delta",
          (float) NORMAL.beamDelta(),
          "Added to the beam that --max-active or --min-active imply");
  private final Option<Boolean> determinize =
      options.bool(
          "determinize-lattice", true, "Keep only the best path of each sequence of words");
  private final Option<Integer> memory =
      options.integer(
          "max-mem",
          50000000,
          "Bytes, about, that determinization may use for an utterance; beyond them, the beam of"
              + " the lattice is smaller");
  private final Option<String> wordTable =
      options.string("word-symbol-table", "", "Names of words, to print the words");
  private final Option<Boolean> allowPartial =
      options.bool("allow-partial", false, "Write a lattice even if no path ends in a final state");
  private final Option<Integer> threads =
      options.integer("num-threads", 1, "Number of utterances that are searched at once");

  public NnetLatgenFaster() {
    super(
        "nnet3-latgen-faster",
        """
        Recognizes utterances with an acoustic model and a decoding graph, and writes lattices, and
        optionally the best words and their alignments.

        Usage:  nnet3-latgen-faster [options] <nnet-in> <fst-in|fsts-rspecifier> <features-rspecifier> <lattice-wspecifier> [<words-wspecifier> [<alignments-wspecifier>]]
        e.g.:
         nnet3-latgen-faster --acoustic-scale=1.0 --frame-subsampling-factor=3 --word-symbol-table=words.txt final.mdl HCLG.fst scp:feats.scp ark:lat.ark
        See also: compile-graph, lattice-best-path, lattice-to-nbest, compute-wer
        """,
        4,
        6);
    options.string("hash-ratio", "", "Accepted without effect");
    options.bool("phone-determinize", true, "Accepted without effect");
    options.bool("word-determinize", true, "Accepted without effect");
    options.bool("minimize", false, "Accepted without effect");
    options.real("delta", 1 / 1024f, "Accepted without effect");
    options.integer("memory-pool-tokens-block-size", 256, "Accepted without effect");
    options.integer("memory-pool-links-block-size", 256, "Accepted without effect");
  }

  /** Result of the search of an utterance; {@code path} is null if the utterance failed. */
  private record Found(
      String key, LatticePath path, CompactLattice lattice, boolean partial, double beam) {}

  /** Graph of each utterance. */
  private interface Graphs extends AutoCloseable {
    boolean has(String key);

    Fst of(String key);

    @Override
    void close();
  }

  private static Graphs graphs(String name) {
    if (!TableReader.isTable(name)) {
      Fst only = ReadFst.load(name);
      return new Graphs() {
        @Override
        public boolean has(String key) {
          return true;
        }

        @Override
        public Fst of(String key) {
          return only;
        }

        @Override
        public void close() {}
      };
    }
    RandomAccessTable<Fst> table = RandomAccessTable.open(name, Fst.HOLDER);
    return new Graphs() {
      @Override
      public boolean has(String key) {
        return table.has(key);
      }

      @Override
      public Fst of(String key) {
        return table.get(key);
      }

      @Override
      public void close() {
        table.close();
      }
    };
  }

  private SearchOptions search() {
    if (threads.get() < 1) {
      throw new UsageException(
          "[options] --num-threads must be at least 1; got %s; correct it."
              .formatted(threads.get()));
    }
    return new SearchOptions(
        beam.get(),
        maxActive.get(),
        minActive.get(),
        latticeBeam.get(),
        pruneInterval.get(),
        beamDelta.get());
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    compute.check();
    SearchOptions search = search();
    SymbolTable names = wordTable.get().isEmpty() ? null : SymbolTable.load(wordTable.get());
    try (Context context = compute.open();
        ExecutorService pool = Executors.newFixedThreadPool(threads.get());
        Graphs graphs = graphs(arguments.get(1));
        var output = new Output(arguments, names, log)) {
      var transitions = new Transitions(TransitionModel.load(arguments.get(0)));
      EvaluationModel model = EvaluationModel.withPriors(arguments.get(0), onlyFinite.get(), log);
      SplitOptions chunks = compute.chunks(model.nnet().modulus(), log);
      var lengths = ChunkLengths.of(model.nnet(), model.context(), chunks);
      var computer =
          new UtteranceComputer(
              model.nnet(),
              compute.compiler(model.nnet(), context, log),
              new SplitStrategy.Simple(chunks, model.context(), lengths),
              ComputeOptions::sequences);
      long start = System.nanoTime();
      Deque<Future<Found>> searched = new ArrayDeque<>();
      // Searches of earlier utterances, whose memory is as large as the graph.
      Queue<BeamSearch> free = new ConcurrentLinkedQueue<>();
      int missing =
          inputs.run(
              arguments.get(2),
              key -> {
                boolean known = graphs.has(key);
                output.unknown += known ? 0 : 1;
                return known;
              },
              computer,
              log,
              next -> {
                String key = next.utterance().key();
                Fst graph = graphs.of(key);
                output.inputFrames += next.utterance().features().rows();
                searched.add(
                    pool.submit(() -> {
                      model.score(next.output(), compute.acousticScale.get());
                      BeamSearch used = free.poll();
                      if (used == null || used.graph() != graph) {
                        used = new BeamSearch(graph, transitions, search);
                      }
                      Found found = found(key, used, next.output());
                      free.add(used);
                      return found;
                    }));
                if (searched.size() > 4 * threads.get()) {
                  output.write(result(searched.remove()));
                }
              });
      while (!searched.isEmpty()) {
        output.write(result(searched.remove()));
      }
      output.failed += missing;
      output.finish(start);
      return output.done > 0 ? 0 : 1;
    }
  }

  private Found found(String key, BeamSearch search, Matrix scores) {
    search.start();
    search.advance(scores);
    search.finish();
    boolean partial = !search.reachedEnd();
    Optional<LatticePath> best = search.bestPath(true);
    if (best.isEmpty() || partial && !allowPartial.get()) {
      return new Found(key, null, null, partial && best.isPresent(), 0);
    }
    CompactLattice lattice = search.lattice();
    double reached = latticeBeam.get();
    if (determinize.get()) {
      var result = DeterminizeLattice.apply(lattice, reached, memory.get());
      lattice = result.lattice();
      reached = result.beam();
    }
    float scale = compute.acousticScale.get();
    CompactLattice scaled = scale == 0 ? lattice : lattice.scaled(1, 1 / scale);
    return new Found(key, best.get(), scaled, partial, reached);
  }

  private static Found result(Future<Found> searched) {
    try {
      return searched.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FileFormatException(
          "[search] the search must not be interrupted; got an interruption; run it again.", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure
          ? failure
          : new IllegalStateException(e.getCause());
    }
  }

  /** Tables of results. */
  private final class Output implements AutoCloseable {
    private final SymbolTable names;
    private final CommandLog log;
    private final TableWriter<CompactLattice> lattices;
    private final TableWriter<int[]> words;
    private final TableWriter<int[]> alignments;
    private int done;
    private int failed;
    private int unknown;
    private long frames;
    private long inputFrames;
    private double cost;

    Output(List<String> arguments, SymbolTable names, CommandLog log) {
      this.names = names;
      this.log = log;
      lattices =
          TableWriter.open(
              arguments.get(3),
              determinize.get() ? CompactLattice.HOLDER : CompactLattice.ARC_PER_FRAME);
      words = arguments.size() > 4 ? TableWriter.open(arguments.get(4), Holder.INTS) : null;
      alignments = arguments.size() > 5 ? TableWriter.open(arguments.get(5), Holder.INTS) : null;
    }

    void write(Found found) {
      if (found.path == null) {
        log.warning(
            found.partial
                ? "Not producing output for utterance %s since no final-state reached and"
                    + " --allow-partial=false."
                : "Failed to decode utterance with id %s",
            found.key);
        failed++;
        return;
      }
      if (found.partial) {
        log.warning(
            "Outputting partial output for utterance %s since no final-state reached", found.key);
      }
      if (found.beam < latticeBeam.get()) {
        log.warning(
            "Determinization of utterance %s stopped at a beam of %s, because it needs more than"
                + " --max-mem=%d bytes",
            found.key, FloatText.of(found.beam, 6), memory.get());
      }
      int[] best = found.path.words();
      int[] transitions = found.path.transitions();
      if (words != null) {
        words.write(found.key, best);
      }
      if (alignments != null) {
        alignments.write(found.key, transitions);
      }
      if (names != null) {
        log.err().printf("%s %s%n", found.key, names.text(best));
      }
      lattices.write(found.key, found.lattice);
      log.info(
          "Log-like per frame for utterance %s is %s over %d frames.",
          found.key, FloatText.of(-found.path.cost() / transitions.length, 6), transitions.length);
      cost += found.path.cost();
      frames += transitions.length;
      done++;
    }

    void finish(long start) {
      if (unknown > 0) {
        log.warning("Left out %d utterances that have no graph", unknown);
      }
      UtteranceInputs.tell(done, failed, inputFrames, start, log);
      if (done > 0) {
        log.info(
            "Overall log-likelihood per frame is %s over %d frames.",
            FloatText.of(-cost / frames, 6), frames);
        lattices.commit();
        if (words != null) {
          words.commit();
        }
        if (alignments != null) {
          alignments.commit();
        }
      }
    }

    @Override
    public void close() {
      lattices.close();
      if (words != null) {
        words.close();
      }
      if (alignments != null) {
        alignments.close();
      }
    }
  }
}
