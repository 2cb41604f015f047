// Writes a checkpoint in the layout of Hugging Face as a GGUF file, with quantized matrices.
//
//   ./ristretto run examples/llm/Convert.java FOLDER FILE.gguf [q8_0|q4_0|q4_k|q6_k|f32]

import module ristretto.llm;
import module ristretto.kernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// The elements of a tensor as F32.
static float[] elements(GgufTensor t) {
  if (t.type() == GgufType.F32) {
    return t.data().toArray(ValueLayout.JAVA_FLOAT);
  }
  short[] halves = t.data().toArray(ValueLayout.JAVA_SHORT_UNALIGNED);
  var all = new float[halves.length];
  for (int k = 0; k < all.length; k++) {
    all[k] =
        t.type() == GgufType.F16
            ? Float.float16ToFloat(halves[k])
            : Float.intBitsToFloat(halves[k] << 16);
  }
  return all;
}

/// A tensor in another type; vectors, and rows that are no whole blocks, become F32.
static GgufTensor converted(GgufTensor t, GgufType type, Arena arena) {
  float[] elements = elements(t);
  int columns = (int) t.shape().at(t.shape().rank() - 1);
  BlockFormat format = type.blocks().orElse(null);
  if (format == null || t.shape().rank() < 2 || columns % format.length() != 0) {
    var data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, elements);
    return new GgufTensor(t.name(), GgufType.F32, t.shape(), data);
  }
  long bytes = format.rowBytes(columns);
  int rows = elements.length / columns;
  MemorySegment data = arena.allocate(rows * bytes, 64);
  IntStream.range(0, rows)
      .parallel()
      .forEach(r -> BlockEncoder.encode(format, elements, r * columns, columns, data, r * bytes));
  return new GgufTensor(t.name(), type, t.shape(), data);
}

void main(String[] args) throws Exception {
  GgufType type = GgufType.valueOf(args.length > 2 ? args[2].toUpperCase(Locale.ROOT) : "Q8_0");
  try (Gguf model = HuggingFace.open(Path.of(args[0]));
      Arena arena = Arena.ofShared()) {
    List<GgufTensor> tensors = new ArrayList<>();
    model.tensors().values().forEach(t -> tensors.add(converted(t, type, arena)));
    GgufWriter.write(Path.of(args[1]), model.metadata(), tensors);
    IO.println("%s has %,d kB".formatted(args[1], Files.size(Path.of(args[1])) / 1_000));
    IO.println("result: tensors=" + tensors.size());
  }
}
