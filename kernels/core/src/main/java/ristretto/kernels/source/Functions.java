package ristretto.kernels.source;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/** Functions of a program: lifted functions, and tapes that combine two values. */
final class Functions {
  /**
   * Comparison for ARGMAX and ARGMIN: NaN beats every number, and the first of equal elements wins.
   */
  private static final String BETTER =
      """
      FUNCTION flag NAME(TYPE a, i64 i, TYPE b, i64 j) {
        const flag nan_a = a != a;
        const flag nan_b = b != b;
        const flag first = i < j;
        const flag better = nan_a ? (nan_b ? first : true)
            : nan_b ? false : a ORDER b ? true : b ORDER a ? false : first;
        return j < 0 || (i >= 0 && better);
      }
      """;

  private final Map<Function, String> names = new HashMap<>();
  private final Map<Tape, String> combiners = new HashMap<>();
  private final Set<String> helpers = new HashSet<>();
  private final Code code = new Code(0);

  /** Returns the name of a lifted function, which is defined before its first use. */
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

  /** Returns the name of a function of the tape's inputs 0 and 1, which have the same type. */
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

  /**
   * Returns the name of a function that returns true if the extreme {@code a} at position {@code i}
   * is kept, false if {@code b} at {@code j} replaces it; a negative position marks no element.
   */
  String better(ScalarType type, boolean largest) {
    String name = (largest ? "larger_" : "smaller_") + Literal.type(type);
    if (helpers.add(name)) {
      String text = BETTER.replace("NAME", name).replace("TYPE", Literal.type(type));
      text.replace("ORDER", largest ? ">" : "<").lines().forEach(code::line);
    }
    return name;
  }

  /**
   * Returns the name of a function that returns true if one sort key precedes another; NaN comes
   * last.
   */
  String before(ScalarType type, boolean descending) {
    String name = (descending ? "greater_" : "less_") + Literal.type(type);
    if (helpers.add(name)) {
      String order = descending ? "a > b" : "a < b";
      String test = type.isFloat() ? "a != a ? false : b != b ? true : " + order : order;
      String t = Literal.type(type);
      code.line("FUNCTION flag " + name + "(" + t + " a, " + t + " b) { return " + test + "; }");
    }
    return name;
  }

  /** Returns the name of a type of {@code width} elements that the device loads at once. */
  String vector(ScalarType storage, int width) {
    String element = Literal.storage(storage);
    String name = element + "x" + width;
    if (helpers.add(name)) {
      int bytes = storage.bytes() * width;
      code.line(
          String.format(
              Locale.ROOT,
              "typedef struct ALIGNED(%d) { %s at[%d]; } %s;",
              bytes,
              element,
              width,
              name));
    }
    return name;
  }

  private void define(ScalarType result, String name, List<String> parameters, Code body) {
    code.open(
        "FUNCTION %s %s(%s)".formatted(Literal.type(result), name, String.join(", ", parameters)));
    code.append(body);
    code.close();
  }

  private Code body(Function function) {
    var text = new Code(1);
    for (int k = 0; k < function.locals().size(); k++) {
      String start =
          k < function.parameters().size() ? "p" + k : Literal.zero(function.locals().get(k));
      text.line(Literal.type(function.locals().get(k)) + " l" + k + " = " + start + ";");
    }
    if (function.blocks().size() == 1
        && function.blocks().getFirst().end() instanceof Function.End.Return end) {
      Tape tape = function.blocks().getFirst().tape();
      var body = new Body(text, tape, this, slot -> "l" + slot);
      body.emit(body.needed(tape.outputs()));
      text.line("return " + body.value(tape.outputs().get(end.output())) + ";");
      return text;
    }
    String type = Literal.type(function.result());
    text.line(type + " result = " + Literal.zero(function.result()) + ";");
    text.line("i32 at = 0;");
    text.open("while (at >= 0)");
    states(text, function.blocks(), 0, function.blocks().size());
    text.close();
    text.line("return result;");
    return text;
  }

  /**
   * Renders the blocks from {@code first} up to {@code end} as states of a state machine, selected
   * by binary search. TornadoVM would turn a switch into a chain of comparisons and mistranslate
   * that.
   */
  private void states(Code text, List<Function.Block> blocks, int first, int end) {
    if (end - first == 1) {
      block(text, blocks.get(first));
      return;
    }
    int middle = (first + end) / 2;
    text.open("if (at < " + middle + ")");
    states(text, blocks, first, middle);
    text.reopen("else");
    states(text, blocks, middle, end);
    text.close();
  }

  private void block(Code text, Function.Block block) {
    Tape tape = block.tape();
    var body = new Body(text, tape, this, slot -> "l" + slot);
    body.emit(body.needed(tape.outputs()));
    List<Integer> targets = block.targets();
    switch (block.end()) {
      case Function.End.Jump e -> text.line("at = " + e.block() + ";");
      case Function.End.Branch e -> {
        String condition = body.value(tape.outputs().get(e.output()));
        text.line("at = " + condition + " ? " + e.then() + " : " + e.otherwise() + ";");
      }
      case Function.End.Return e -> {
        text.line("result = " + body.value(tape.outputs().get(e.output())) + ";");
        text.line("at = -1;");
        return;
      }
    }
    for (int k = 0; k < targets.size(); k++) {
      text.line("l" + targets.get(k) + " = " + body.value(tape.outputs().get(k)) + ";");
    }
  }

  @Override
  public String toString() {
    return code.toString();
  }
}
