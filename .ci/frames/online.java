import module ristretto.expr;
import module ristretto.nnet3;

void main() throws Exception {
  Path digits = Path.of("../../examples/nnet3/digits");
  Files.copy(
      digits.resolve("final.raw"), Path.of("final.raw"), StandardCopyOption.REPLACE_EXISTING);
  try (var context = Context.open();
      var table = TableReader.open("ark:" + digits.resolve("test.feats.ark"), Holder.MATRIX)) {
    table.next();
    Matrix frames = table.value();
    // BLOCK
    IO.println(outputs);
  }
}
