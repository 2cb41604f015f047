package ristretto.kernels.source.java;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translation of the words and macros of rendered code to Java. */
final class JavaWords {
  private static final Map<String, String> WORDS =
      Map.ofEntries(
          Map.entry("const", "final"),
          Map.entry("FUNCTION", "private static"),
          Map.entry("i8", "byte"),
          Map.entry("u8", "byte"),
          Map.entry("i16", "short"),
          Map.entry("i32", "int"),
          Map.entry("i64", "long"),
          Map.entry("f32", "float"),
          Map.entry("f64", "double"),
          Map.entry("flag", "boolean"),
          Map.entry("I32_BITS", "Float.floatToRawIntBits"),
          Map.entry("F32_BITS", "Float.intBitsToFloat"),
          Map.entry("I64_BITS", "Double.doubleToRawLongBits"),
          Map.entry("F64_BITS", "Double.longBitsToDouble"),
          Map.entry("POINT(0)", "context.globalIdx"),
          Map.entry("POINT(1)", "context.globalIdy"),
          Map.entry("POINT(2)", "context.globalIdz"),
          Map.entry("GROUP(0)", "context.groupIdx"),
          Map.entry("GROUP(1)", "context.groupIdy"),
          Map.entry("GROUP(2)", "context.groupIdz"),
          Map.entry("LANE", "context.localIdx"),
          Map.entry("BARRIER", "context.localBarrier()"),
          // Casts to unsigned are dropped, because Java's integers wrap.
          Map.entry("(u16) ", ""),
          Map.entry("(u32) ", ""),
          Map.entry("(u64) ", ""));

  private static final Pattern WORD =
      Pattern.compile(
          "(?:POINT|GROUP)\\(\\d\\)|\\(u(?:16|32|64)\\) |I64\\((\\d+)\\)|\\b[A-Za-z]\\w*");

  private JavaWords() {}

  static String replaced(String text) {
    return WORD.matcher(text)
        .replaceAll(m ->
            Matcher.quoteReplacement(
                m.group(1) != null ? m.group(1) + "L" : WORDS.getOrDefault(m.group(), m.group())));
  }

  /** Returns the class of a buffer with elements of this type. */
  static String array(String type) {
    return switch (type) {
      case "i8", "u8", "b8" -> "ByteArray";
      case "i16", "u16" -> "ShortArray";
      case "i32", "u32", "flag" -> "IntArray";
      case "i64" -> "LongArray";
      case "f32" -> "FloatArray";
      case "f64" -> "DoubleArray";
      default -> throw new IllegalStateException("no array of " + type);
    };
  }

  /** Returns the name of the context's method that allocates work-group memory of this type. */
  static String local(String type) {
    return switch (type) {
      case "i32", "flag" -> "allocateIntLocalArray";
      case "i64" -> "allocateLongLocalArray";
      case "f32" -> "allocateFloatLocalArray";
      case "f64" -> "allocateDoubleLocalArray";
      default -> throw new IllegalStateException("no memory of the group of " + type);
    };
  }

  /** Converts an element that was read to a value. */
  static String widened(String type, String element) {
    return switch (type) {
      case "u8" -> "(" + element + " & 0xff)";
      case "u16" -> "(" + element + " & 0xffff)";
      // With (x & 0xffffffffL), the OpenCL code of TornadoVM extends the sign of a loaded element.
      case "u32" -> "((" + element + " ^ 0x80000000) + 2147483648L)";
      case "b8", "flag" -> "(" + element + " != 0)";
      default -> element;
    };
  }

  /** Converts a value to an element to be written. */
  static String narrowed(String type, String value) {
    return switch (type) {
      case "i8", "u8" -> "(byte) (" + value + ")";
      case "i16", "u16" -> "(short) (" + value + ")";
      case "u32" -> "(int) (" + value + ")";
      case "b8" -> "(byte) ((" + value + ") ? 1 : 0)";
      case "flag" -> "(" + value + ") ? 1 : 0";
      default -> value;
    };
  }
}
