package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static ristretto.kernels.cpu.strip.StripSpec.Access.UNIT;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

class CutLevelTest {
  private static List<Segment> segments(StripSpec spec, boolean vector) {
    return PlanSegments.apply(spec, spec.tape(), vector).segments();
  }

  @Test
  void chainsBecomeShortSegmentsOfAboutTheSameLength() {
    assumeTrue(VectorHardware.PRESENT);
    for (int length : new int[] {60, 100, 500, 2000}) {
      var segments = segments(StripCompilerTest.chain(F32, length), true);
      assertThat(segments).allMatch(s -> s.rows().size() <= 32).hasSizeLessThan(4 + length / 8);
    }
  }

  /** A sum of polynomials of one value each, in which one value is alive between two of them. */
  @Test
  void cutsAreWhereFewValuesAreAlive() {
    assumeTrue(VectorHardware.PRESENT);
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    var crossings = new ArrayList<Integer>();
    for (int block = 0; block < 8; block++) {
      int[] powers = new int[12];
      int root = t.apply(Op.SQRT, x);
      for (int k = 0; k < powers.length; k++) {
        powers[k] = t.apply(Op.MUL, root, t.constant(F32, 2 + k + 0.1 * block));
      }
      int sum = powers[0];
      for (int k = 1; k < powers.length; k++) {
        sum = t.apply(Op.ADD, sum, powers[k]);
      }
      crossings.add(sum);
      x = sum;
    }
    var spec = StripRun.map(t.build(x), UNIT);
    SegmentPlan plan = PlanSegments.apply(spec, spec.tape(), true);
    assertThat(plan.segments()).hasSizeGreaterThan(2);
    assertThat(crossings).containsAll(plan.slots().keySet());
  }

  @Test
  void scalarSegmentsHaveFewLoads() {
    var t = new TapeBuilder();
    int sum = t.input(0, F32);
    for (int k = 1; k < 200; k++) {
      sum = t.apply(Op.ADD, sum, t.input(k, F32));
    }
    var access = new StripSpec.Access[200];
    Arrays.fill(access, UNIT);
    var segments = segments(StripRun.map(t.build(sum), access), false);
    assertThat(segments).allMatch(s -> s.rows().size() <= 16).hasSizeLessThan(30);
  }
}
