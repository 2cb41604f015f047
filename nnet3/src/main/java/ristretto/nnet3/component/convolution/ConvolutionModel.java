package ristretto.nnet3.component.convolution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;

/**
 * Specification of a {@link TimeHeightConvolutionComponent}: {@code y(t, h, o) = sum over offsets i
 * of x(t + time_i, subsample * h + height_i, f) W(o, i, f) + b(o)}. In a row, the filter index
 * varies fastest, then the height. Heights outside of the input, and missing optional times, count
 * as zeros.
 *
 * @param offsets of time and height, sorted by time, then height
 */
public record ConvolutionModel(
    int filtersIn,
    int filtersOut,
    int heightIn,
    int heightOut,
    int heightSubsampleOut,
    List<Offset> offsets,
    List<Integer> requiredTimes) {
  /** Offset of an input relative to an output, in time and height. */
  record Offset(int time, int height) {}

  public ConvolutionModel {
    offsets = List.copyOf(offsets);
    requiredTimes = List.copyOf(requiredTimes);
  }

  int inputDim() {
    return Math.multiplyExact(filtersIn, heightIn);
  }

  int outputDim() {
    return Math.multiplyExact(filtersOut, heightOut);
  }

  int filterDim() {
    return Math.multiplyExact(filtersIn, offsets.size());
  }

  List<Integer> times() {
    return offsets.stream().map(Offset::time).distinct().toList();
  }

  /**
   * Consecutive height offsets that are read at one time.
   *
   * @param offset index of the first of them
   * @param from first height offset
   * @param to last height offset, inclusive
   */
  record Run(int time, int offset, int from, int to) {}

  /** Returns all offsets as a minimal list of runs. */
  List<Run> runs() {
    var runs = new ArrayList<Run>();
    for (int k = 0; k < offsets.size(); k++) {
      Offset o = offsets.get(k);
      Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
      if (last != null && last.time == o.time && last.to + 1 == o.height) {
        runs.set(runs.size() - 1, new Run(o.time, last.offset, last.from, o.height));
      } else {
        runs.add(new Run(o.time, k, o.height, o.height));
      }
    }
    return runs;
  }

  /**
   * Returns an equivalent model of a single time, in which the filters of all times are
   * concatenated; null if the height offsets differ between times, or there is only one time.
   */
  ConvolutionModel spliced() {
    List<Integer> times = times();
    var heights = new ArrayList<List<Integer>>();
    for (int time : times) {
      heights.add(offsets.stream().filter(o -> o.time == time).map(Offset::height).toList());
    }
    if (times.size() == 1 || heights.stream().distinct().count() > 1) {
      return null;
    }
    return new ConvolutionModel(
        filtersIn * times.size(),
        filtersOut,
        heightIn,
        heightOut,
        heightSubsampleOut,
        heights.get(0).stream().map(h -> new Offset(0, h)).toList(),
        List.of(0));
  }

  /**
   * Convolution that computes the input derivative from the output derivative.
   *
   * @param model reads the output's heights and filters; its times are those of the forward
   *     convolution
   * @param offsets index of the forward offset for each offset of {@code model}
   */
  record Transposed(ConvolutionModel model, int[] offsets) {}

  /**
   * Returns the transposed model for the input heights {@code first}, {@code first} + {@link
   * #heightSubsampleOut}, and so on, which are all read at the same offsets; null if no output
   * reads them.
   */
  Transposed transposed(int first) {
    int step = heightSubsampleOut;
    int[] numbers =
        IntStream.range(0, offsets.size())
            .filter(k -> Math.floorMod(first - offsets.get(k).height, step) == 0)
            .boxed()
            .sorted(
                Comparator.comparingInt((Integer k) -> offsets.get(k).time)
                    .thenComparingInt(k -> -offsets.get(k).height))
            .mapToInt(Integer::intValue)
            .toArray();
    if (numbers.length == 0) {
      return null;
    }
    List<Offset> turned =
        Arrays.stream(numbers)
            .mapToObj(offsets::get)
            .map(o -> new Offset(o.time, (first - o.height) / step))
            .toList();
    int heights = (heightIn - first + step - 1) / step;
    return new Transposed(
        new ConvolutionModel(filtersOut, filtersIn, heightOut, heights, 1, turned, List.of()),
        numbers);
  }

  static ConvolutionModel fields(Fields f, ConvolutionModel m) {
    f.token("<ConvolutionModel>");
    boolean reads = f.reading();
    int filtersIn = f.positive("<NumFiltersIn>", reads ? 0 : m.filtersIn);
    int filtersOut = f.positive("<NumFiltersOut>", reads ? 0 : m.filtersOut);
    int heightIn = f.positive("<HeightIn>", reads ? 0 : m.heightIn);
    int heightOut = f.positive("<HeightOut>", reads ? 0 : m.heightOut);
    int subsample = f.positive("<HeightSubsampleOut>", reads ? 0 : m.heightSubsampleOut);
    f.token("<Offsets>");
    int[] pairs = f.pairs(reads ? null : m.pairs());
    int[] required =
        f.integers(
            "<RequiredTimeOffsets>",
            reads ? null : m.requiredTimes.stream().mapToInt(Integer::intValue).toArray());
    f.token("</ConvolutionModel>");
    if (!reads) {
      return m;
    }
    var offsets = new ArrayList<Offset>();
    for (int i = 0; i < pairs.length; i += 2) {
      offsets.add(new Offset(pairs[i], pairs[i + 1]));
    }
    var model =
        new ConvolutionModel(
            filtersIn,
            filtersOut,
            heightIn,
            heightOut,
            subsample,
            offsets,
            Arrays.stream(required).boxed().toList());
    String problem = model.problem();
    f.check(problem == null, problem, "another model");
    return model;
  }

  private int[] pairs() {
    return offsets.stream().flatMapToInt(o -> IntStream.of(o.time(), o.height())).toArray();
  }

  /** Returns the rule that the model breaks, or null. */
  String problem() {
    if (offsets.isEmpty() || requiredTimes.isEmpty()) {
      return "offsets and required times must not be empty";
    }
    if (!times().containsAll(requiredTimes)) {
      return "required time offsets must be among the offsets";
    }
    for (int h = 0; h < heightOut; h++) {
      int at = h * heightSubsampleOut;
      if (offsets.stream()
          .noneMatch(o -> requiredTimes.contains(o.time()) && isHeight(at + o.height()))) {
        return "each output height must read an input at a required time; height "
            + h
            + " does not";
      }
    }
    for (Offset o : offsets) {
      if (IntStream.range(0, heightOut)
          .noneMatch(h -> isHeight(h * heightSubsampleOut + o.height()))) {
        return "each offset must read some input; " + o.time() + "," + o.height() + " does not";
      }
    }
    return null;
  }

  private boolean isHeight(int h) {
    return h >= 0 && h < heightIn;
  }

  String info() {
    String all =
        offsets.stream().map(o -> o.time() + "," + o.height()).collect(Collectors.joining(" "));
    String required = requiredTimes.stream().map(String::valueOf).collect(Collectors.joining(","));
    return new InfoText("num-filters-in=" + filtersIn)
        .add("num-filters-out", filtersOut)
        .add("height-in", heightIn)
        .add("height-out", heightOut)
        .add("height-subsample-out", heightSubsampleOut)
        .add("{time,height}-offsets", "[" + all + "]")
        .add("required-time-offsets", "[" + required + "]")
        .add("input-dim", inputDim())
        .add("output-dim", outputDim())
        .toString();
  }
}
