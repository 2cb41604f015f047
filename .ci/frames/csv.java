import module ristretto.expr;
import module ristretto.symbolic;

void main() throws IOException {
  Path trainFile = Files.createTempFile("train", ".csv");
  Path validFile = Files.createTempFile("valid", ".csv");
  Files.writeString(
      trainFile,
      """
      area,rooms,built,town,remarks,price
      80,3,1990-05-01,Oslo,near the sea,300
      ,2,2001-01-31,Bergen,"quiet, near the park",200
      """);
  Files.writeString(validFile, "price,area,rooms,built,town,remarks\n250,70,2,1980-07-01,Rome,\n");
  try (var ctx = Context.open()) {
    // BLOCK
    IO.println(train.fields() + " " + valid.size() + " " + towns);
  } finally {
    Files.delete(trainFile);
    Files.delete(validFile);
  }
}
