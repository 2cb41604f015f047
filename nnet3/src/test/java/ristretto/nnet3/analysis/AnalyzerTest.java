package ristretto.nnet3.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.nnet3.analysis.MatrixInfo.Role.INPUT;
import static ristretto.nnet3.analysis.MatrixInfo.Role.OUTPUT;
import static ristretto.nnet3.analysis.MatrixInfo.Role.PARAMETER;
import static ristretto.nnet3.analysis.MatrixInfo.Role.TEMPORARY;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class AnalyzerTest {
  private final MadeAssignments made = new MadeAssignments();
  private final int x = made.memory("x", INPUT, 6, 4);
  private final int a = made.memory("a", TEMPORARY, 6, 4);
  private final int b = made.memory("b", TEMPORARY, 6, 4);
  private final int y = made.memory("y", OUTPUT, 6, 4);
  private final int w = made.memory("w", PARAMETER, 4, 4);

  private Analyzer analyzer() {
    made.map("zero", made.all(a));
    made.map("a", made.part(a, 0, 3, 0, 2), made.part(x, 0, 3, 0, 2));
    made.map("b", made.all(b), made.all(a));
    made.add("y", "gemm", java.util.List.of(made.all(y)), made.all(b), made.all(w));
    made.map("step", made.all(w), made.all(w));
    return new Analyzer(made.assignments());
  }

  @Test
  void variablesAreCutWhereRectanglesEnd() {
    ComputationVariables variables = analyzer().variables();
    // x and a have two cuts each, and so four variables; b, y and w have none.
    assertThat(variables).hasToString("11 variables in 5 matrices");
    assertThat(variables.first(a)).isEqualTo(4);
    assertThat(variables.memory(7)).isEqualTo(a);
    assertThat(variables.region(5)).isEqualTo(new SubMatrix(a, 0, 3, 2, 4));
    assertThat(variables.region(6)).isEqualTo(new SubMatrix(a, 3, 6, 0, 2));
    assertThat(variables.memory(10)).isEqualTo(w);
  }

  @Test
  void attributesSayWhatIsReadAndWritten() {
    Analyzer analyzer = analyzer();
    AssignmentAttributes second = analyzer.attributes(1);
    assertThat(second.variablesRead()).isEqualTo(bits(0));
    assertThat(second.variablesWritten()).isEqualTo(bits(4));
    assertThat(second.memoriesRead()).isEqualTo(bits(x));
    assertThat(second.memoriesWritten()).isEqualTo(bits(a));
  }

  private static BitSet bits(int... bits) {
    var all = new BitSet();
    for (int bit : bits) {
      all.set(bit);
    }
    return all;
  }

  @Test
  void accessesAreInOrder() {
    Analyzer analyzer = analyzer();
    assertThat(analyzer.memoryAccesses(a)).containsExactly(0, 1, 2);
    assertThat(analyzer.variableAccesses(4)).containsExactly(0, 1, 2);
    assertThat(analyzer.variableAccesses(5)).containsExactly(0, 2);
    assertThat(analyzer.firstAccess(a)).isZero();
    assertThat(analyzer.lastAccess(a)).isEqualTo(2);
  }

  @Test
  void memoryIsCountedWhereItLives() {
    Analyzer analyzer = analyzer();
    assertThat(analyzer.liveBytes()).containsExactly(96L, 96L, 192L, 96L, 0L);
    assertThat(analyzer.peakBytes()).isEqualTo(192);
    assertThat(analyzer.temporaryBytes()).isEqualTo(192);
    assertThat(analyzer.placeBytes()).isEqualTo(192);
  }
}
