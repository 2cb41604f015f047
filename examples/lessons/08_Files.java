// Lesson 8: tensors from and to files.
//
//   ./ristretto run examples/lessons/08_Files.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() throws Exception {
  Path folder = Files.createTempDirectory("ristretto-lesson");
  try (var ctx = Context.open()) {
    // A single tensor: NumPy's .npy.
    Tensor<F32> x = ctx.eval(uniform(F32, 1, 3, 4));
    Path npy = folder.resolve("x.npy");
    ctx.save(npy, x);
    Tensor<F32> read = ctx.load(F32, npy);
    IO.println("read equals written: " + (ctx.eval(max(abs(x.minus(read)))).item() == 0));

    // Several named tensors: .npz or .safetensors, in insertion order.
    var model = new LinkedHashMap<String, Tensor<?>>();
    model.put("weights", x);
    model.put("steps", ctx.arange(I64, 5));
    Path file = folder.resolve("model.safetensors");
    ctx.saveAll(file, model);
    ctx.loadAll(file).forEach((name, tensor) -> IO.println(name + " " + tensor));

    // A damaged file is refused as a whole; the message names the position of the error.
    try (var channel = java.nio.channels.FileChannel.open(npy, StandardOpenOption.WRITE)) {
      channel.truncate(150);
    }
    try {
      ctx.load(F32, npy);
    } catch (ristretto.kernels.FileFormatException e) {
      IO.println(e.getMessage().replace(folder.toString(), "..."));
    }
    IO.println("result: tensors=" + ctx.loadAll(file).size());
  }
}
