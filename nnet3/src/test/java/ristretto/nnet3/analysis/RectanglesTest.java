package ristretto.nnet3.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import ristretto.expr.Trace;

/** Rectangles beside the elements one by one. */
class RectanglesTest {
  @Test
  void holdAllElementsAndNoOthersIfExact() {
    var random = new Random(7);
    int exact = 0;
    for (int k = 0; k < 3000; k++) {
      int columns = 1 + random.nextInt(12);
      int rank = 1 + random.nextInt(4);
      var extents = new ArrayList<Long>();
      var strides = new ArrayList<Long>();
      for (int d = 0; d < rank; d++) {
        extents.add(1L + random.nextInt(5));
        long any = random.nextInt(40) - 4;
        strides.add(random.nextBoolean() ? any : columns * (long) random.nextInt(4));
      }
      if (random.nextBoolean()) {
        strides.set(rank - 1, 1L);
        extents.set(rank - 1, 1L + random.nextInt(columns));
      }
      var a = new Trace.Access(0, 300, extents, strides, false);
      Access access = Rectangles.of(a, columns);
      TreeSet<Long> wanted = elements(a);
      TreeSet<Long> got = elements(access.regions(), columns);
      assertThat(got).as("%s in %d columns", a, columns).containsAll(wanted);
      if (access.isExact()) {
        exact++;
        assertThat(got).as("%s in %d columns", a, columns).isEqualTo(wanted);
      }
    }
    assertThat(exact).isGreaterThan(1000);
  }

  @Test
  void wholeRowsAreOneRectangle() {
    var a = new Trace.Access(0, 8, List.of(3L, 2L, 4L), List.of(8L, 4L, 1L), false);
    assertThat(Rectangles.of(a, 4))
        .isEqualTo(new Access(a, List.of(new SubMatrix(0, 2, 8, 0, 4)), true));
  }

  @Test
  void everySecondPlaceIsARectangleEach() {
    var a = new Trace.Access(0, 1, List.of(2L, 2L, 3L), List.of(16L, 4L, 1L), false);
    assertThat(Rectangles.of(a, 4).regions())
        .containsExactly(new SubMatrix(0, 0, 2, 1, 4), new SubMatrix(0, 4, 6, 1, 4));
  }

  private static TreeSet<Long> elements(Trace.Access a) {
    var all = new TreeSet<Long>(List.of(a.offset()));
    for (int d = 0; d < a.extents().size(); d++) {
      var next = new TreeSet<Long>();
      for (long at : all) {
        for (long i = 0; i < a.extents().get(d); i++) {
          next.add(at + i * a.strides().get(d));
        }
      }
      all = next;
    }
    return all;
  }

  private static TreeSet<Long> elements(List<SubMatrix> regions, int columns) {
    var all = new TreeSet<Long>();
    for (SubMatrix r : regions) {
      for (long row = r.fromRow(); row < r.toRow(); row++) {
        for (long column = r.fromColumn(); column < r.toColumn(); column++) {
          all.add(row * columns + column);
        }
      }
    }
    return all;
  }
}
