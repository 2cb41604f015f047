package ristretto.nnet3.component;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.component.ConvolutionModel.Run;

/**
 * Output heights of a convolution, one after another, that read as many heights of a run: those of
 * the next output height lie a fixed distance further on.
 *
 * @param from the first output height
 * @param to the end of them
 * @param column of the input where the first of them begins to read
 * @param width how many columns each reads
 * @param weight the first element of a patch that they have
 */
record HeightGroup(int from, int to, int column, int width, int weight) {
  /** All output heights that read something of the run. */
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
