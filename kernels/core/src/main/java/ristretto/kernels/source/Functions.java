package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** The C functions of a program: lifted functions, and tapes that combine two values. */
final class Functions {
  /** A NaN is better than all numbers, and what comes first is better than its equal. */
  private static final String BEST =
      """
      typedef struct { TYPE value; i64 at; } BEST;
      FUNCTION BEST BEST_of(TYPE value, i64 at) {
        BEST b;
        b.value = value;
        b.at = at;
        return b;
      }
      FUNCTION BEST BEST_merged(BEST a, BEST b) {
        const i32 nan_a = a.value != a.value;
        const i32 nan_b = b.value != b.value;
        const i32 first = a.at < b.at;
        const i32 tie = nan_a ? (nan_b ? first : 1)
            : nan_b ? 0 : a.value BETTER b.value ? 1 : b.value BETTER a.value ? 0 : first;
        return b.at < 0 || (a.at >= 0 && tie) ? a : b;
      }
      """;

  private final Map<Function, String> names = new HashMap<>();
  private final Map<Tape, String> combiners = new HashMap<>();
  private final Set<String> helpers = new HashSet<>();
  private final Code code = new Code(0);

  /** The name of a function defined before its first use. */
  String name(Function function) {
    String name = names.get(function);
    if (name == null) {
      Code body = body(function);
      name = "function" + names.size();
      names.put(function, name);
      var parameters = new ArrayList<String>();
      for (int k = 0; k < function.parameters().size(); k++) {
        parameters.add(Literal.type(function.parameters().get(k)) + " p" + k);
      }
      define(function.result(), name, parameters, body);
    }
    return name;
  }

  /** The name of a function of the tape's inputs 0 and 1, which have one type. */
  String combiner(Tape tape) {
    String name = combiners.get(tape);
    if (name == null) {
      var text = new Code(1);
      var body = new Body(text, tape, this, slot -> slot == 0 ? "a" : "b");
      body.emit(body.needed(tape.outputs()));
      text.line("return " + body.value(tape.outputs().getFirst()) + ";");
      ScalarType type = tape.outputType(0);
      name = "combine" + combiners.size();
      combiners.put(tape, name);
      define(type, name, List.of(Literal.type(type) + " a", Literal.type(type) + " b"), text);
    }
    return name;
  }

  /** The type of a value with its place in a row, and functions that make and compare them. */
  String best(ScalarType type, boolean largest) {
    String name = (largest ? "largest_" : "smallest_") + Literal.type(type);
    if (helpers.add(name)) {
      String better = largest ? ">" : "<";
      for (String line :
          BEST.replace("BEST", name).replace("TYPE", Literal.type(type)).split("\n")) {
        code.line(line.replace("BETTER", better));
      }
    }
    return name;
  }

  /** The name of a function that says whether one key comes before another; NaN comes last. */
  String before(ScalarType type, boolean descending) {
    String name = (descending ? "greater_" : "less_") + Literal.type(type);
    if (helpers.add(name)) {
      String order = descending ? "a > b" : "a < b";
      String test = type.isFloat() ? "a != a ? 0 : b != b ? 1 : " + order : order;
      String t = Literal.type(type);
      code.line("FUNCTION i32 " + name + "(" + t + " a, " + t + " b) { return " + test + "; }");
    }
    return name;
  }

  private void define(ScalarType result, String name, List<String> parameters, Code body) {
    code.open(
        "FUNCTION "
            + Literal.type(result)
            + " "
            + name
            + "("
            + String.join(", ", parameters)
            + ")");
    code.append(body);
    code.close();
  }

  private Code body(Function function) {
    var text = new Code(1);
    for (int k = 0; k < function.locals().size(); k++) {
      String start = k < function.parameters().size() ? "p" + k : "0";
      text.line(Literal.type(function.locals().get(k)) + " l" + k + " = " + start + ";");
    }
    if (function.blocks().size() == 1) {
      block(text, function.blocks().getFirst());
      return text;
    }
    text.line("i32 at = 0;");
    text.open("for (;;)");
    text.open("switch (at)");
    for (int k = 0; k < function.blocks().size(); k++) {
      // The last one is the default, so that every way has an end that the compiler sees.
      text.open(k < function.blocks().size() - 1 ? "case " + k + ":" : "default:");
      block(text, function.blocks().get(k));
      text.close();
    }
    text.close();
    text.close();
    return text;
  }

  private void block(Code text, Function.Block block) {
    Tape tape = block.tape();
    var body = new Body(text, tape, this, slot -> "l" + slot);
    BitSet needed = body.needed(tape.outputs());
    body.emit(needed);
    List<Integer> targets = block.targets();
    String end =
        switch (block.end()) {
          case Function.End.Jump e -> "at = " + e.block() + ";";
          case Function.End.Branch e ->
              "at = "
                  + body.value(tape.outputs().get(e.output()))
                  + " ? "
                  + e.then()
                  + " : "
                  + e.otherwise()
                  + ";";
          case Function.End.Return e -> {
            yield "return " + body.value(tape.outputs().get(e.output())) + ";";
          }
        };
    if (block.end() instanceof Function.End.Return) {
      text.line(end);
      return;
    }
    text.line(end);
    for (int k = 0; k < targets.size(); k++) {
      text.line("l" + targets.get(k) + " = " + body.value(tape.outputs().get(k)) + ";");
    }
    text.line("break;");
  }

  @Override
  public String toString() {
    return code.toString();
  }
}
