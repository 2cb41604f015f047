package ristretto.nnet3.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Holder of posteriors. Text has one line, with a bracketed list of classes and weights for each
 * frame.
 */
final class PosteriorHolder implements Holder<Posterior> {
  private static final int SMALLEST_FRAME = 5;
  private static final int SMALLEST_ELEMENT = 10;

  @Override
  public Posterior read(KaldiInput in) {
    List<int[]> classes = new ArrayList<>();
    List<float[]> weights = new ArrayList<>();
    int frames = in.binary() ? in.readCount("frames", SMALLEST_FRAME) : Integer.MAX_VALUE;
    while (in.binary() ? classes.size() < frames : in.moreOnLine()) {
      frame(in, classes, weights);
    }
    return new Posterior(classes.toArray(new int[0][]), weights.toArray(new float[0][]));
  }

  private static void frame(KaldiInput in, List<int[]> classes, List<float[]> weights) {
    int count = Integer.MAX_VALUE;
    if (in.binary()) {
      count = in.readCount("classes", SMALLEST_ELEMENT);
    } else if (in.source().peek() == '[') {
      in.source().read();
    } else {
      throw in.malformed(in.offset(), "a frame of a posterior must begin with '['", in.next());
    }
    var ids = new int[4];
    var values = new float[4];
    int size = 0;
    while (in.binary() ? size < count : in.peek() != ']') {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, 2 * size);
        values = Arrays.copyOf(values, 2 * size);
      }
      ids[size] = in.readInt("a class or ']'");
      values[size++] = in.readFloat("the weight of a class");
    }
    if (!in.binary()) {
      in.source().read();
    }
    classes.add(Arrays.copyOf(ids, size));
    weights.add(Arrays.copyOf(values, size));
  }

  @Override
  public void write(KaldiOutput out, Posterior value) {
    boolean binary = out.binary();
    if (binary) {
      out.writeInt(value.frames());
    }
    for (int t = 0; t < value.frames(); t++) {
      int[] classes = value.classes()[t];
      if (binary) {
        out.writeInt(classes.length);
      } else {
        out.writeText("[ ");
      }
      for (int k = 0; k < classes.length; k++) {
        out.writeInt(classes[k]);
        out.writeFloat(value.weights()[t][k]);
      }
      out.writeText(binary ? "" : "] ");
    }
    out.endLine();
  }
}
