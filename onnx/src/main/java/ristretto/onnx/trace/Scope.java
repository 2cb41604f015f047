package ristretto.onnx.trace;

import java.util.HashMap;
import java.util.Map;
import ristretto.onnx.call.Value;

/**
 * Values by name, of a graph inside others.
 *
 * @param outer scope of the graph around; null for that of a model or function
 * @param opsets versions of operator sets by domain
 * @param attributes attributes of the function
 */
record Scope(
    Scope outer,
    Map<String, Value> values,
    Map<String, Long> opsets,
    Map<String, Object> attributes) {

  Scope(Map<String, Long> opsets, Map<String, Object> attributes) {
    this(null, new HashMap<>(), opsets, attributes);
  }

  Scope inner() {
    return new Scope(this, new HashMap<>(), opsets, attributes);
  }

  /** Returns the value of a name, or null. */
  Value find(String name) {
    for (Scope s = this; s != null; s = s.outer) {
      Value found = s.values.get(name);
      if (found != null) {
        return found;
      }
    }
    return null;
  }
}
