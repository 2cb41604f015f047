// Fraction of frames whose largest output is at the right class.
//
//   ./ristretto run examples/nnet3/FrameAccuracy.java OUTPUTS-RSPECIFIER CLASSES-RSPECIFIER

import module ristretto.nnet3;

void main(String[] args) {
  long frames = 0;
  long right = 0;
  try (var outputs = TableReader.open(args[0], Holder.MATRIX);
      var classes = RandomAccessTable.open(args[1], Holder.INTS)) {
    while (outputs.next()) {
      Matrix output = outputs.value();
      int[] wanted = classes.get(outputs.key());
      for (int t = 0; t < output.rows(); t++) {
        right += largest(output.row(t)) == wanted[t] ? 1 : 0;
        frames++;
      }
    }
  }
  IO.println(
      String.format(
          Locale.ROOT, "result: frames=%d accuracy=%.3f", frames, (double) right / frames));
}

int largest(float[] values) {
  int best = 0;
  for (int k = 1; k < values.length; k++) {
    best = values[k] > values[best] ? k : best;
  }
  return best;
}
