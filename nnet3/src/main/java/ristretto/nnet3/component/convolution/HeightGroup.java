package ristretto.nnet3.component.convolution;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.component.convolution.ConvolutionModel.Run;

/**
 * Consecutive output heights of a convolution that read equally many heights of a run; the inputs
 * of successive output heights are a constant number of columns apart.
 *
 * @param from first output height
 * @param to end of the output heights, exclusive
 * @param column first input column that the first height reads
 * @param width number of columns that each height reads
 * @param weight first patch element, a row of the transposed weights, that each height reads
 */
record HeightGroup(int from, int to, int column, int width, int weight) {
  /** Returns groups of all output heights that read at least one height of the run. */
  static List<HeightGroup> of(ConvolutionModel model, Run run) {
    var groups = new ArrayList<HeightGroup>();
    int in = model.filtersIn();
    for (int h = 0; h < model.heightOut(); h++) {
      int at = h * model.heightSubsampleOut();
      int lo = Math.max(run.from(), -at);
      int hi = Math.min(run.to(), model.heightIn() - 1 - at);
      if (lo > hi) {
        continue;
      }
      int weight = (run.offset() + lo - run.from()) * in;
      var group = new HeightGroup(h, h + 1, (at + lo) * in, (hi - lo + 1) * in, weight);
      HeightGroup before = groups.isEmpty() ? null : groups.get(groups.size() - 1);
      if (before != null
          && before.to == h
          && before.width == group.width
          && before.weight == weight) {
        groups.set(groups.size() - 1, before.until(h + 1));
      } else {
        groups.add(group);
      }
    }
    return groups;
  }

  private HeightGroup until(int end) {
    return new HeightGroup(from, end, column, width, weight);
  }

  int count() {
    return to - from;
  }
}
