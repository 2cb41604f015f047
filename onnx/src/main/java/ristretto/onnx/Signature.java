package ristretto.onnx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.onnx.file.Proto;
import ristretto.symbolic.onnx.OnnxException;

/** Inputs of a model, as its file declares them. */
final class Signature {
  private final Map<String, Proto.Declaration> inputs = new LinkedHashMap<>();
  private final Set<String> optional;

  /**
   * Creates a signature.
   *
   * @param optional names of initializers, which inputs may replace
   */
  Signature(Proto.Graph graph, Set<String> optional) {
    this.optional = optional;
    for (Proto.Declaration d : graph.inputs()) {
      inputs.put(d.name(), d);
    }
  }

  /** Returns the names of the inputs that must be given. */
  List<String> names() {
    return inputs.keySet().stream().filter(n -> !optional.contains(n)).toList();
  }

  /** Returns the declaration of an input. */
  Proto.Declaration of(String name) {
    return inputs.get(name);
  }

  /**
   * Checks the names of given inputs.
   *
   * @throws OnnxException if an input is missing or unknown
   */
  void requireNames(Set<String> given) {
    var missing = new ArrayList<>(names());
    missing.removeAll(given);
    var unknown = new ArrayList<>(given);
    unknown.removeAll(inputs.keySet());
    if (!missing.isEmpty() || !unknown.isEmpty()) {
      throw new OnnxException(
          "[run] the inputs must be those of the model, %s; got %s; give each under its name."
              .formatted(names(), given.stream().sorted().toList()));
    }
  }

  /**
   * Checks the dtype and the shape of an input.
   *
   * @throws OnnxException if they are not those declared
   */
  void require(String name, DType<?> dtype, Shape shape) {
    Proto.Declaration d = inputs.get(name);
    requireTensor(d);
    boolean fits = dtype == (Object) d.type().dtype();
    List<Long> dims = d.dims();
    if (dims != null) {
      fits &= dims.size() == shape.rank();
      for (int k = 0; fits && k < shape.rank(); k++) {
        fits = dims.get(k) < 0 || dims.get(k) == shape.at(k);
      }
    }
    if (!fits) {
      throw new OnnxException(
          "[run] input '%s' must be %s; got %s%s; cast or reshape it."
              .formatted(name, label(d), dtype, shape));
    }
  }

  static void requireTensor(Proto.Declaration d) {
    if (!d.kind().equals("tensor")) {
      throw new OnnxException(
          "[onnx] inputs must be tensors; got '%s', a %s; export the model with tensors."
              .formatted(d.name(), d.kind()));
    }
  }

  private static String label(Proto.Declaration d) {
    String dims =
        d.dims() == null
            ? " of any shape"
            : d.dims().toString().replace(" ", "").replace("-1", "?");
    return d.type().dtype() + dims;
  }
}
