package ristretto.kernels.lift;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random Java methods of two ints, a float and a long, with all statements that can be lifted. They
 * always end: loops count to small limits.
 */
final class RandomMethods {
  private static final String[] TYPES = {"int", "long", "float", "double", "boolean"};

  private final Random random;
  private final StringBuilder text = new StringBuilder();
  private final List<String> names = new ArrayList<>();
  private final List<String> types = new ArrayList<>();
  private int counter;
  private int loops;
  private int budget;
  private String result;
  private final int callable;

  /**
   * @param callable methods {@code m0} to {@code m(callable - 1)} may be called
   */
  private RandomMethods(Random random, int callable) {
    this.random = random;
    this.callable = callable;
  }

  /** The method {@code static RESULT mK(int a, int b, float c, long d)}. */
  static String method(Random random, int k) {
    return new RandomMethods(random, k).method(k);
  }

  /** The type of the K-th method's result. */
  static String resultType(int k) {
    return TYPES[k % TYPES.length];
  }

  private String method(int k) {
    result = resultType(k);
    budget = 14;
    text.append("  static ")
        .append(result)
        .append(" m")
        .append(k)
        .append("(int a, int b, float c, long d) {\n");
    declare("int", "a");
    declare("int", "b");
    declare("float", "c");
    declare("long", "d");
    block(2);
    text.append("    return ").append(expression(result, 3)).append(";\n  }\n");
    return text.toString();
  }

  private void declare(String type, String name) {
    names.add(name);
    types.add(type);
  }

  /** Statements, whose declarations are forgotten at the end. */
  private void block(int depth) {
    int visible = names.size();
    int count = 1 + random.nextInt(4);
    for (int k = 0; k < count; k++) {
      statement(depth);
    }
    while (names.size() > visible) {
      names.removeLast();
      types.removeLast();
    }
  }

  private void statement(int depth) {
    budget--;
    int kind = random.nextInt(depth > 0 && budget > 0 ? 12 : 4);
    switch (kind) {
      case 0, 1 -> {
        String type = TYPES[random.nextInt(TYPES.length)];
        String name = "v" + counter++;
        line(type + " " + name + " = " + expression(type, 2) + ";");
        declare(type, name);
      }
      case 2, 3 -> assignment();
      case 4 -> {
        line("if (" + expression("boolean", 2) + ") {");
        block(depth - 1);
        line("}");
      }
      case 5 -> {
        line("if (" + expression("boolean", 2) + ") {");
        block(depth - 1);
        line("} else {");
        block(depth - 1);
        line("}");
      }
      case 6 -> switchStatement(depth);
      case 7 ->
          line("if (" + expression("boolean", 1) + ") { return " + expression(result, 2) + "; }");
      case 8, 9 -> loop(depth, false);
      case 10 -> loop(depth, true);
      default -> {
        if (loops > 0) {
          String jump = random.nextBoolean() ? "break" : "continue";
          String label = random.nextInt(3) == 0 ? " l" + random.nextInt(loops) : "";
          line("if (" + expression("boolean", 1) + ") { " + jump + label + "; }");
        } else {
          assignment();
        }
      }
    }
  }

  private void assignment() {
    int k = random.nextInt(names.size());
    String type = types.get(k);
    if (names.get(k).startsWith("k")) {
      return;
    }
    String operator = type.equals("boolean") ? "" : random.nextInt(3) == 0 ? "+" : "";
    line(names.get(k) + " " + operator + "= " + expression(type, 3) + ";");
  }

  private void switchStatement(int depth) {
    line("switch (" + expression("int", 1) + " & 7) {");
    int cases = 1 + random.nextInt(4);
    for (int k = 0; k < cases; k++) {
      line("case " + k * (1 + cases % 2) + ":");
      block(depth - 1);
      // Some fall through.
      if (random.nextBoolean()) {
        line("if (true) { break; }");
      }
    }
    line("default:");
    block(depth - 1);
    line("}");
  }

  private void loop(int depth, boolean doWhile) {
    String name = "k" + counter++;
    String label = "l" + loops;
    String limit =
        random.nextBoolean() ? "" + random.nextInt(5) : "(" + expression("int", 1) + " & 3)";
    String more = random.nextBoolean() ? "" : " && " + expression("boolean", 1);
    if (doWhile) {
      // The counter changes first, so that continue cannot skip it.
      line("int " + name + " = 0;");
      declare("int", name);
      line(label + ": do {");
      line(name + "++;");
    } else {
      line(
          label
              + ": for (int "
              + name
              + " = 0; "
              + name
              + " < "
              + limit
              + more
              + "; "
              + name
              + "++) {");
      declare("int", name);
    }
    loops++;
    block(depth - 1);
    loops--;
    line(doWhile ? "} while (" + name + " < " + limit + more + ");" : "}");
    if (!doWhile) {
      names.removeLast();
      types.removeLast();
    }
  }

  private void line(String code) {
    text.append("    ").append(code).append('\n');
  }

  private String variable(String type) {
    var fitting = new ArrayList<String>();
    for (int k = 0; k < names.size(); k++) {
      if (types.get(k).equals(type)) {
        fitting.add(names.get(k));
      }
    }
    return fitting.isEmpty() ? literal(type) : fitting.get(random.nextInt(fitting.size()));
  }

  private String literal(String type) {
    return switch (type) {
      case "int" -> "" + (random.nextInt(12) - 3);
      case "long" -> (random.nextInt(12) - 3) + "L";
      case "float" -> (random.nextInt(16) - 4) / 4f + "f";
      case "double" -> (random.nextInt(16) - 4) / 4.0 + "";
      default -> "" + random.nextBoolean();
    };
  }

  private String expression(String type, int depth) {
    if (depth == 0 || random.nextInt(6) == 0) {
      return random.nextInt(4) == 0 ? literal(type) : variable(type);
    }
    if (random.nextInt(7) == 0) {
      return "("
          + expression("boolean", depth - 1)
          + " ? "
          + expression(type, depth - 1)
          + " : "
          + expression(type, depth - 1)
          + ")";
    }
    if (callable > 0 && random.nextInt(25) == 0) {
      int k = random.nextInt(callable);
      if (resultType(k).equals(type)) {
        return "m" + k + "(" + expression("int", 1) + ", b, c, " + expression("long", 1) + ")";
      }
    }
    return type.equals("boolean") ? condition(depth) : arithmetic(type, depth);
  }

  private String condition(int depth) {
    String other = TYPES[random.nextInt(4)];
    String[] comparisons = {"<", "<=", ">", ">=", "==", "!="};
    return switch (random.nextInt(6)) {
      case 0 ->
          "(" + expression("boolean", depth - 1) + " && " + expression("boolean", depth - 1) + ")";
      case 1 ->
          "(" + expression("boolean", depth - 1) + " || " + expression("boolean", depth - 1) + ")";
      case 2 -> "!" + expression("boolean", depth - 1);
      case 3 ->
          "(" + expression("boolean", depth - 1) + " ^ " + expression("boolean", depth - 1) + ")";
      default ->
          "("
              + expression(other, depth - 1)
              + " "
              + comparisons[random.nextInt(6)]
              + " "
              + expression(other, depth - 1)
              + ")";
    };
  }

  private String arithmetic(String type, int depth) {
    String a = expression(type, depth - 1);
    String b = expression(type, depth - 1);
    boolean integer = type.equals("int") || type.equals("long");
    return switch (random.nextInt(integer ? 10 : 7)) {
      case 0 -> "(" + a + " + " + b + ")";
      case 1 -> "(" + a + " - " + b + ")";
      case 2 -> "(" + a + " * " + b + ")";
      case 3 -> "-" + "(" + a + ")";
      case 4 -> "Math.max(" + a + ", " + b + ")";
      case 5 -> "(" + type + ") " + expression(TYPES[random.nextInt(4)], depth - 1);
      case 6 -> integer ? "(" + a + " / (" + b + " | 1))" : "(" + a + " / " + b + ")";
      case 7 -> "(" + a + " ^ " + b + ")";
      case 8 -> "(" + a + " >> " + b + ")";
      default -> "(" + a + " % (" + b + " | 1))";
    };
  }
}
