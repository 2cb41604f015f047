package ristretto.kernels.cpu;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import ristretto.kernels.device.Choices;
import ristretto.kernels.device.RandomBody;
import ristretto.kernels.scalar.TapeBuilder;

class RandomStripTest {
  @Property(tries = 250)
  void mixedBodiesGiveTheBitsOfTheInterpreter(
      @ForAll @Size(max = 120) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    var choices = new Choices(numbers);
    var t = new TapeBuilder();
    var body = new RandomBody(t, choices);
    var access = new ArrayList<StripSpec.Access>();
    for (int slot = 0; slot <= choices.next(5); slot++) {
      body.add(t.input(slot, choices.of(List.of(F32, F64, I32, I64))));
      access.add(
          choices.of(
              List.of(StripSpec.Access.UNIT, StripSpec.Access.UNIT, StripSpec.Access.SCALAR)));
    }
    int n = choices.of(List.of(5, 1, 16, 33, 130));
    while (!choices.spent()) {
      body.grow();
    }
    int[] outputs = new int[1 + choices.next(3)];
    for (int k = 0; k < outputs.length; k++) {
      int row = body.pick();
      outputs[k] = t.type(row) == BOOL ? t.convert(row, I32) : row;
    }
    var spec = StripRun.map(t.build(outputs), access.toArray(StripSpec.Access[]::new));
    StripRun.check(spec, 2, n, n);
  }
}
