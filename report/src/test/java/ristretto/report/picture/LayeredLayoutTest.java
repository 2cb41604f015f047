package ristretto.report.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Boxes lie apart, and arrows go down unless they close a cycle. */
class LayeredLayoutTest {
  private static Diagram random(Random random, int boxes, int arrows) {
    var graph = new Diagram();
    for (int k = 0; k < boxes; k++) {
      graph.box(Diagram.Kind.VALUE, "box " + k);
    }
    for (int k = 0; k < arrows; k++) {
      graph.arrow(random.nextInt(boxes), random.nextInt(boxes), "");
    }
    return graph;
  }

  @Test
  void boxesLieApart() {
    var random = new Random(3);
    for (int k = 0; k < 40; k++) {
      int boxes = 1 + random.nextInt(30);
      Diagram graph = random(random, boxes, random.nextInt(60));
      double[] widths = random.doubles(boxes, 20, 100).toArray();
      var layers = new LayeredLayout(graph, widths, new double[graph.arrows().size()]);
      var byRow = new ArrayList<List<LayeredLayout.Place>>();
      for (int r = 0; r < layers.rowCount(); r++) {
        int row = r;
        byRow.add(
            layers.places().stream()
                .filter(p -> p.row == row)
                .sorted(Comparator.comparingDouble(p -> p.x))
                .toList());
      }
      assertThat(byRow.stream().mapToInt(List::size).sum()).isEqualTo(layers.places().size());
      for (List<LayeredLayout.Place> row : byRow) {
        for (int i = 1; i < row.size(); i++) {
          LayeredLayout.Place a = row.get(i - 1);
          LayeredLayout.Place b = row.get(i);
          assertThat(b.x - b.width / 2).isGreaterThan(a.x + a.width / 2 + 10);
        }
      }
      for (int arrow = 0; arrow < graph.arrows().size(); arrow++) {
        Diagram.Arrow a = graph.arrows().get(arrow);
        if (a.from() != a.to()) {
          int down = layers.places().get(a.to()).row - layers.places().get(a.from()).row;
          assertThat(down > 0).isEqualTo(!layers.isBackward(arrow));
          assertThat(layers.path(arrow)).hasSize(Math.abs(down) + 1);
        }
      }
    }
  }

  @Test
  void arrowsOfACycleGoDownButOne() {
    var graph = random(new Random(), 3, 0);
    graph.arrow(0, 1, "");
    graph.arrow(1, 2, "");
    graph.arrow(2, 0, "");
    var layers =
        new LayeredLayout(graph, new double[] {10, 10, 10}, new double[graph.arrows().size()]);
    assertThat(Arrays.asList(layers.isBackward(0), layers.isBackward(1), layers.isBackward(2)))
        .containsExactly(false, false, true);
  }

  @Test
  void crossingsAreAvoidedWhereTheyCanBe() {
    var graph = random(new Random(), 4, 0);
    graph.arrow(0, 3, "");
    graph.arrow(1, 2, "");
    var layers =
        new LayeredLayout(graph, new double[] {10, 10, 10, 10}, new double[graph.arrows().size()]);
    List<LayeredLayout.Place> p = layers.places();
    assertThat(p.get(0).x < p.get(1).x).isEqualTo(p.get(3).x < p.get(2).x);
  }

  /** A label in the middle of a long arrow, down or up, lies beside the boxes there. */
  @Test
  void labelsHaveRoom() {
    for (boolean up : new boolean[] {false, true}) {
      var graph = random(new Random(), 4, 0);
      graph.arrow(0, 1, "");
      graph.arrow(1, 2, "");
      graph.arrow(2, 3, "");
      graph.arrow(up ? 3 : 0, up ? 0 : 3, "of the past");
      double[] widths = {100, 100, 100, 100};
      var layers = new LayeredLayout(graph, widths, new double[] {0, 0, 0, 80});
      assertThat(layers.isBackward(3)).isEqualTo(up);
      LayeredLayout.Place label = layers.places().get(layers.middle(3));
      LayeredLayout.Place box = layers.places().get(label.row);
      assertThat(label.width).isEqualTo(80);
      assertThat(label.box).isEqualTo(-1);
      assertThat(Math.abs(label.x - box.x)).isGreaterThan((100 + 80) / 2.0 + 10);
    }
  }
}
