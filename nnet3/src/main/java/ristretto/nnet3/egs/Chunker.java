package ristretto.nnet3.egs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import ristretto.nnet3.io.FloatText;

/**
 * Cuts utterances into chunks and gathers statistics. Frames of an utterance that no chunk covers
 * form gaps, spread evenly before, between and after chunks; frames in excess form overlaps, in
 * proportion to the smaller of two neighbouring chunks.
 */
public final class Chunker {
  private final ExampleGenerationOptions options;
  private final ChunkSplits splits;
  private final Random random;
  private final Map<Integer, Integer> chunksBySize = new TreeMap<>();
  private int utterances;
  private long frames;
  private long overlapped;
  private long chunks;
  private long framesInChunks;

  /** Creates a chunker; {@code seed} determines its random choices. */
  public Chunker(ExampleGenerationOptions options, long seed) {
    this.options = options;
    this.splits = options.sizes().isEmpty() ? null : new ChunkSplits(options);
    this.random = new Random(seed);
  }

  /** Options of this chunker. */
  public ExampleGenerationOptions options() {
    return options;
  }

  /**
   * Returns the chunks of an utterance of {@code length} input frames; none if the utterance is too
   * short.
   */
  public List<ExampleChunk> chunks(int length) {
    List<Integer> sizes = splits == null ? List.of(length) : choose(splits.of(length));
    int factor = options.subsampling();
    int[] gaps = new int[sizes.size()];
    if (splits != null && !sizes.isEmpty()) {
      int[] reduced = sizes.stream().mapToInt(size -> size / factor).toArray();
      gaps = gaps(options.targets(length), reduced);
    }
    var firsts = new int[sizes.size()];
    int at = 0;
    for (int k = 0; k < firsts.length; k++) {
      at += gaps[k] * factor;
      firsts[k] = at;
      at += sizes.get(k);
    }
    List<ExampleChunk> all = weighted(length, firsts, sizes);
    count(length, all);
    return all;
  }

  private List<Integer> choose(List<List<Integer>> possible) {
    if (possible.isEmpty()) {
      return List.of();
    }
    List<Integer> split = possible.get(random.nextInt(possible.size()));
    return random.nextBoolean() ? split : split.reversed();
  }

  private int[] gaps(int length, int[] sizes) {
    int gap = length - Arrays.stream(sizes).sum();
    var gaps = new int[sizes.length];
    if (gap >= 0) {
      int places = sizes.length + 1;
      List<Integer> shares = new ArrayList<>();
      for (int k = 0; k < places; k++) {
        shares.add(gap / places + (k < gap % places ? 1 : 0));
      }
      Collections.shuffle(shares, random);
      Arrays.setAll(gaps, shares::get);
      return gaps;
    }
    int[] smaller =
        IntStream.range(1, sizes.length).map(k -> Math.min(sizes[k - 1], sizes[k])).toArray();
    int[] overlaps = inProportion(-gap, smaller);
    for (int k = 1; k < sizes.length; k++) {
      gaps[k] = -overlaps[k - 1];
    }
    return gaps;
  }

  /**
   * Splits {@code sum} into integers in proportion to {@code to}; the remainder goes to the parts
   * with the largest fractions.
   */
  private static int[] inProportion(int sum, int[] to) {
    double all = Arrays.stream(to).sum();
    var parts = new int[to.length];
    Arrays.setAll(parts, k -> (int) (sum * (to[k] / all)));
    int left = sum - Arrays.stream(parts).sum();
    IntStream.range(0, to.length)
        .boxed()
        .sorted(Comparator.comparingDouble(k -> parts[k] - sum * (to[k] / all)))
        .limit(left)
        .forEach(k -> parts[k]++);
    return parts;
  }

  private List<ExampleChunk> weighted(int length, int[] firsts, List<Integer> sizes) {
    int factor = options.subsampling();
    var count = new int[options.targets(length)];
    for (int k = 0; k < firsts.length; k++) {
      for (int t = firsts[k] / factor; t < targetsEnd(firsts[k], sizes.get(k)); t++) {
        count[t]++;
      }
    }
    List<ExampleChunk> all = new ArrayList<>();
    for (int k = 0; k < firsts.length; k++) {
      int first = firsts[k] / factor;
      var weights = new float[targetsEnd(firsts[k], sizes.get(k)) - first];
      for (int t = 0; t < weights.length; t++) {
        weights[t] = 1f / count[first + t];
      }
      boolean starts = k == 0 && options.leftInitial() >= 0;
      boolean ends = k == firsts.length - 1 && options.rightFinal() >= 0;
      all.add(
          new ExampleChunk(
              firsts[k],
              sizes.get(k),
              starts ? options.leftInitial() : options.left(),
              ends ? options.rightFinal() : options.right(),
              weights));
    }
    return all;
  }

  private int targetsEnd(int first, int size) {
    return options.targets(first + size);
  }

  private void count(int length, List<ExampleChunk> all) {
    utterances++;
    frames += length;
    int end = 0;
    for (ExampleChunk chunk : all) {
      overlapped += chunk == all.get(0) ? 0 : Math.max(0, end - chunk.first());
      end = chunk.first() + chunk.size();
      chunks++;
      framesInChunks += chunk.size();
      chunksBySize.merge(chunk.size(), 1, Integer::sum);
    }
  }

  /** Number of chunks made so far. */
  public long chunkCount() {
    return chunks;
  }

  /** Statistics of the chunks made so far, as lines for a log. */
  public List<String> report() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "Split %d utts, with total length %d frames (%s hours assuming 100 frames per second)"
                + " into %d chunks.",
            utterances,
            frames,
            number(frames / 360000.0),
            chunks));
    double overlap = overlapped * 100.0 / frames;
    double output = framesInChunks * 100.0 / frames;
    lines.add(
        "Average chunk length was %s frames; overlap between adjacent chunks was %s%% of input length; length of output was %s%% of input length (minus overlap = %s%%)."
            .formatted(
                number((double) framesInChunks / chunks),
                number(overlap),
                number(output),
                number(output - overlap)));
    if (chunksBySize.size() > 1) {
      List<String> shares = new ArrayList<>();
      chunksBySize.forEach((size, count) ->
          shares.add(
              String.format(
                  Locale.ROOT,
                  "%d = %s%%",
                  size,
                  FloatText.of((double) size * count * 100 / framesInChunks, 4))));
      lines.add(
          "Output frames are distributed among chunk-sizes as follows: "
              + String.join(", ", shares));
    }
    return lines;
  }

  private static String number(double value) {
    return FloatText.of(value, 6);
  }
}
