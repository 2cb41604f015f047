// Lesson 3: shapes, broadcasting and views.
//
//   ./ristretto run examples/lessons/03_Views.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    // A row and a column broadcast to a table, as in NumPy.
    Tensor<I32> row = ctx.arange(I32, 6).reshape(1, 6);
    Tensor<I32> column = ctx.arange(I32, 4).reshape(4, 1);
    Tensor<I32> table = ctx.eval(row.plus(column.times(10)));
    table.print();

    // Slices, transposes and flips are views: no copy, the same memory.
    table.slice(at(1)).print();
    table.slice(all(), range(0, 6, 2)).t().print();
    table.slice(range(-1, -5, -1), from(4)).print();

    // A view may be assigned to. Here every other column becomes zero.
    ctx.assign(table.slice(all(), range(1, 6, 2)), scalar(I32, 0));
    table.print();

    // A target may overlap its source: the engine detects it and computes into a temporary first.
    Tensor<I32> line = ctx.arange(I32, 6);
    Tensor<I32> left = line.slice(range(0, -1));
    Tensor<I32> right = line.slice(from(1));
    Plan plan = ctx.explain(right, left.plus(right));
    IO.println(plan);
    ctx.assign(right, left.plus(right));
    line.print();
    IO.println("result: temporaries=" + plan.temporaryCount());
  }
}
