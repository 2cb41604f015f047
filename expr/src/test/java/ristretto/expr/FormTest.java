package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.form.Form;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

class FormTest {
  private final Expr<F32> a = fill(F32, 1, 3, 4);

  @Test
  void elementsAreRowsOfOperations() {
    float slope = 0.5f;
    var form = (Form.Elements) map(a, v -> v > 0 ? v : slope * v).form();
    assertThat(form.rows())
        .contains(
            new Form.Row.Input(0),
            new Form.Row.Number(F32, 0.5, 0),
            new Form.Row.Number(F32, 0, 0));
    assertThat(form.rows().get(form.result()))
        .isInstanceOfSatisfying(
            Form.Row.Operation.class,
            last -> {
              assertThat(last.word()).isEqualTo("select");
              assertThat(last.dtype()).isEqualTo(F32);
              assertThat(last.operands()).hasSize(3);
            });
  }

  @Test
  void places() {
    var form = (Form.Elements) coordinate(a.shape(), 1).form();
    assertThat(form.rows()).containsExactly(new Form.Row.Position(1));
    assertThat(((Form.Elements) mapIndexed(a, (v, i) -> v + i).form()).rows())
        .contains(new Form.Row.Position(-1));
  }

  @Test
  void numbersAndMemory() {
    assertThat(a.form()).isEqualTo(new Form.Number(1, 1));
    assertThat(scalar(I64, Long.MAX_VALUE).form())
        .isEqualTo(new Form.Number(Long.MAX_VALUE, Long.MAX_VALUE));
    try (var ctx = Context.open("cpu")) {
      assertThat(ctx.ones(F32, 2).form()).isEqualTo(new Form.Memory());
    }
  }

  @Test
  void indexes() {
    assertThat(a.reshape(2, 6).form()).isEqualTo(new Form.Reshape());
    assertThat(a.t().form()).isEqualTo(new Form.Permute(List.of(1, 0)));
    assertThat(a.unsqueeze(0).expand(2, 3, 4).form()).isEqualTo(new Form.Expand());
    assertThat(a.slice(from(1), range(3, 0, -2)).form())
        .isEqualTo(new Form.Step(List.of(1L, 3L), List.of(1L, -2L)));
    assertThat(pad(a, 1, 0, 0, 2).form()).isEqualTo(new Form.Pad(List.of(1L, 0L)));
    assertThat(concat(1, a, a).form()).isEqualTo(new Form.Concat(1));
    assertThat(concat(0, a, a, a, a, a).form()).isEqualTo(new Form.Concat(0));
    assertThat(take(a, fill(I32, 0, 2), 1).form()).isEqualTo(new Form.Take(1, false));
    assertThat(takeAlongAxis(a, fill(I32, 0, 3, 1), 1).form()).isEqualTo(new Form.Take(1, true));
    assertThat(windows(a, 2).form()).isEqualTo(new Form.Other("windows"));
    assertThat(diagonal(a.slice(all(), from(1))).form()).isEqualTo(new Form.Other("diagonal"));
  }

  @Test
  void whatIsMoreThanElements() {
    assertThat(sum(a, 0).keepDims().form()).isEqualTo(new Form.Reduction("sum", List.of(0)));
    assertThat(sum(a, 0).form()).isEqualTo(new Form.Reshape());
    assertThat(dot(a, a.t()).form()).isEqualTo(new Form.Product());
    assertThat(cumSum(a, 1).form()).isEqualTo(new Form.Scan("add", 1, false, false));
    assertThat(argTopK(a, 2, 0).form()).isEqualTo(new Form.Sort(0, true, true));
    assertThat(a.cast(F64).form()).isEqualTo(new Form.Cast());
    assertThat(uniform(F32, 1, 3).form()).isEqualTo(new Form.Random());
    assertThat(scatterAdd(Shape.of(5, 4), 0, fill(I32, 0, 3), a).form())
        .isEqualTo(new Form.Other("scatterAdd along 0"));
  }
}
