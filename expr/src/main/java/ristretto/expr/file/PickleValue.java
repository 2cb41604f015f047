package ristretto.expr.file;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Value of a pickle. Values may be shared and may contain themselves, so the containers have no
 * equality by content, and code that visits them limits its depth and its steps.
 */
sealed interface PickleValue {
  /** Integer within 64 bits. */
  record Whole(long value) implements PickleValue {}

  /** String. */
  record Text(String value) implements PickleValue {}

  /** Name that a pickle refers to, one of the few that are known. */
  record Name(TorchName name) implements PickleValue {}

  /** Storage of tensors: an entry of the archive. */
  record Storage(TorchStorage storage) implements PickleValue {}

  /** Tensor or parameter. */
  record Tensor(TorchTensor tensor) implements PickleValue {}

  /** None, a boolean or a floating-point number, which no tensor is made of. */
  enum Other implements PickleValue {
    NONE,
    BOOLEAN,
    FLOAT
  }

  /** Tuple or list. */
  final class Sequence implements PickleValue {
    private final boolean tuple;
    private List<PickleValue> items = List.of();

    private Sequence(boolean tuple) {
      this.tuple = tuple;
    }

    static Sequence list() {
      return new Sequence(false);
    }

    static Sequence tuple(List<PickleValue> items) {
      var tuple = new Sequence(true);
      tuple.items = List.copyOf(items);
      return tuple;
    }

    boolean isTuple() {
      return tuple;
    }

    List<PickleValue> items() {
      return items;
    }

    void add(List<PickleValue> more) {
      if (items.isEmpty()) {
        items = new ArrayList<>(more.size());
      }
      items.addAll(more);
    }
  }

  /** Dictionary, ordered or not; keys are strings, or integers as text. */
  final class Dictionary implements PickleValue {
    private Map<String, PickleValue> entries = Map.of();

    Map<String, PickleValue> entries() {
      return entries;
    }

    /** Adds an entry; returns false if the key is there already. */
    boolean add(String key, PickleValue value) {
      if (entries.isEmpty()) {
        entries = new LinkedHashMap<>();
      }
      return entries.putIfAbsent(key, value) == null;
    }
  }
}
