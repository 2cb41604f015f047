package ristretto.symbolic.onnx.export;

import java.util.List;

/** Attribute of a node. */
public sealed interface Attribute {
  /** Returns the name that ONNX defines. */
  String name();

  /** Integer. */
  record Int(String name, long value) implements Attribute {}

  /** List of integers. */
  record Ints(String name, List<Long> values) implements Attribute {}

  /** Floating-point number. */
  record Real(String name, double value) implements Attribute {}

  /** String. */
  record Text(String name, String value) implements Attribute {}

  /** List of strings. */
  record Texts(String name, List<String> values) implements Attribute {}
}
