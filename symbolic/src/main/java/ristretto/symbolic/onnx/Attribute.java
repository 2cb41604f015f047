package ristretto.symbolic.onnx;

import java.util.List;

/** A setting of a node. */
public sealed interface Attribute {
  /** As ONNX calls it. */
  String name();

  /** A whole number. */
  record Whole(String name, long value) implements Attribute {}

  /** Whole numbers. */
  record Wholes(String name, List<Long> values) implements Attribute {}

  /** A number. */
  record Real(String name, double value) implements Attribute {}

  /** A word. */
  record Text(String name, String value) implements Attribute {}

  /** Words. */
  record Texts(String name, List<String> values) implements Attribute {}
}
