// Predicts the prices of houses, in 100,000 crowns, from a CSV file with numbers, missing values
// and
// a category. A fifth of the rows is for validation; the learning curve goes to out/tabular.
//
//   ./ristretto run examples/Tabular.java

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  var columns =
      new CsvColumns()
          .numbers("features", "area", "rooms", "age")
          .category("town")
          .number("price")
          .missing(Missing.MEAN)
          .standardized();
  CsvData data = columns.read(Path.of("examples", "data", "houses.csv"));
  List<Dataset> parts = data.split(0.8, 1);

  Variable<F32> features = Variable.input("features", F32, -1, 3);
  Variable<I32> town = Variable.input("town", I32, -1);
  Variable<F32> price = Variable.input("price", F32, -1);
  Variable<F32> place = embedding("towns", town, data.vocabulary("town").size(), 4);
  Variable<F32> hidden = relu(dense("fc1", concat(1, features, place), 64));
  Variable<F32> guess = squeeze(dense("fc3", relu(dense("fc2", hidden, 64)), 1), 1);
  Variable<F32> loss = meanSquaredError(guess, price);

  try (var ctx = Context.open()) {
    var trainer = new Trainer(new Executor(ctx, 1, loss), loss, Optimizer.adamW(0.003));
    trainer.validation(new Batcher(parts.get(1), 200)).report("Houses", Path.of("out", "tabular"));
    History history = trainer.train(new Batcher(parts.get(0), 32).shuffled(1), 30);
    IO.println(String.format(Locale.ROOT, "result: valid_loss=%.4f", history.last("valid_loss")));
  }
}
