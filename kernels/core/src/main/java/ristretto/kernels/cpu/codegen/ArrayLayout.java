package ristretto.kernels.cpu.codegen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Arrays that an {@link ArrayCode} works on: one per pointer of the strip, then those of values
 * that cross from one segment to a later one. A UNIT input or a stored output has one array element
 * per element of the strip, a SCALAR one, an INDEX its value at element 0 and its step, an
 * accumulator its lanes.
 *
 * @param types element types of the arrays; null for pointers that the code does not use
 * @param crossing array of each crossing row
 */
record ArrayLayout(List<ScalarType> types, Map<Integer, Integer> crossing) {

  static ArrayLayout of(SegmentPlan plan) {
    StripSpec spec = plan.spec();
    var types = new ArrayList<ScalarType>();
    for (int k = 0; k < spec.inputs().size() + spec.stores().size(); k++) {
      types.add(null);
    }
    for (Node node : plan.tape().nodes()) {
      if (node instanceof Node.Input in) {
        boolean index = plan.access(in) == StripSpec.Access.INDEX;
        types.set(in.slot(), index ? ScalarType.I64 : in.type());
      }
    }
    for (int k = 0; k < spec.stores().size(); k++) {
      if (spec.stores().get(k) == StripSpec.STORE) {
        types.set(plan.outputPointer(k), Descriptors.memoryType(plan.tape().outputType(k)));
      }
    }
    record Place(int offset, ScalarType type) {}
    var places = new HashMap<Place, Integer>();
    var crossing = new HashMap<Integer, Integer>();
    plan.slots()
        .forEach((row, offset) -> {
          ScalarType type = Descriptors.memoryType(plan.tape().node(row).type());
          crossing.put(
              row,
              places.computeIfAbsent(
                  new Place(offset, type),
                  _ -> {
                    types.add(type);
                    return types.size() - 1;
                  }));
        });
    return new ArrayLayout(java.util.Collections.unmodifiableList(types), crossing);
  }
}
