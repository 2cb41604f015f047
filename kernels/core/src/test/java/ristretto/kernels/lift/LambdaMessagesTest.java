package ristretto.kernels.lift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.kernels.LambdaException;
import ristretto.kernels.lambda.Lambda;

/**
 * The whole text of what is said about lambdas that cannot be lifted. {@code @name} stands for the
 * source line that ends with the comment {@code // name}.
 */
class LambdaMessagesTest {
  private static final Map<String, Lambda> LAMBDAS = RefusedLambdas.lambdas();
  private static final Set<String> TESTED = new HashSet<>();
  private static final List<String> SOURCE = source();

  private static List<String> source() {
    try {
      return Files.readAllLines(
          Path.of("src/test/java/ristretto/kernels/lift/RefusedLambdas.java"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void expect(String name, String message) {
    TESTED.add(name);
    var e = catchThrowableOfType(LambdaException.class, () -> Lifter.lift(LAMBDAS.get(name)));
    assertThat(e).as(name).isNotNull();
    String text = message.replace("CLASS", RefusedLambdas.class.getName());
    for (int line = 1; line <= SOURCE.size(); line++) {
      String source = SOURCE.get(line - 1);
      int comment =
          source.indexOf("; // ") >= 0 ? source.indexOf("; // ") : source.indexOf("{ // ");
      if (comment >= 0) {
        text =
            text.replace(
                "(@" + source.substring(comment + 5) + ")", "(RefusedLambdas.java:" + line + ")");
      }
    }
    assertThat(e).hasMessage(text);
  }

  @AfterAll
  static void everyLambdaIsTested() {
    assertThat(TESTED).isEqualTo(LAMBDAS.keySet());
  }

  @Test
  void arrays() {
    expect(
        "array-read",
        "[lambda] a lambda may not use arrays; got a read of an array element in the "
            + "lambda in CLASS.arrays (@array-read); make the array a tensor and pass it, or "
            + "what take() reads of it, as a further input");
    expect(
        "array-length",
        "[lambda] a lambda may not use arrays; got an array's length in the lambda in "
            + "CLASS.arrays (@array-length); make the array a tensor and pass it, or what "
            + "take() reads of it, as a further input");
    expect(
        "array-write",
        "[lambda] a lambda may not use arrays; got a write to an array element in the "
            + "lambda in CLASS.arrays (@array-write); make the array a tensor and pass it, "
            + "or what take() reads of it, as a further input");
    expect(
        "array-new",
        "[lambda] a lambda may not use arrays; got new float[] in the lambda in "
            + "CLASS.arrays (@array-new); make the array a tensor and pass it, or what "
            + "take() reads of it, as a further input");
    expect(
        "array-of-objects",
        "[lambda] a lambda may not use arrays; got new String[] in the lambda in "
            + "CLASS.arrays (@array-of-objects); make the array a tensor and pass it, or "
            + "what take() reads of it, as a further input");
    expect(
        "array-of-arrays",
        "[lambda] a lambda may not use arrays; got a new array of several dimensions "
            + "in the lambda in CLASS.arrays (@array-of-arrays); make the array a tensor and "
            + "pass it, or what take() reads of it, as a further input");
  }

  @Test
  void objects() {
    expect(
        "new",
        "[lambda] a lambda may not create objects; got new StringBuilder in the lambda "
            + "in CLASS.objects (@new); compute with primitives");
    expect(
        "string",
        "[lambda] a lambda may not use objects; got a string in the lambda in "
            + "CLASS.objects (@string); compute with primitives");
    expect(
        "null",
        "[lambda] a lambda may not use objects; got a comparison of references in the "
            + "lambda in CLASS.objects (@null); compute with primitives");
    expect(
        "same",
        "[lambda] a lambda may not use objects; got a comparison of references in the "
            + "lambda in CLASS.objects (@same); compute with primitives");
    expect(
        "instanceof",
        "[lambda] a lambda may not use objects; got instanceof String in the lambda in "
            + "CLASS.objects (@instanceof); compute with primitives");
    expect(
        "cast",
        "[lambda] a lambda may not use objects; got a cast to Integer in the lambda in "
            + "CLASS.objects (@cast); compute with primitives");
    expect(
        "unboxing",
        "[lambda] a lambda may not use boxed numbers; got an unboxing of Float in the "
            + "lambda in CLASS.objects (@unboxing); compute with primitives");
    expect(
        "boxing",
        "[lambda] a lambda may not use boxed numbers; got a boxing to Float in the "
            + "lambda in CLASS.objects (@boxing); compute with primitives");
    expect(
        "inner-lambda",
        "[lambda] a lambda may not use objects; got another lambda or method reference "
            + "in the lambda in CLASS.objects (@inner-lambda); call a static method");
    expect(
        "pattern-switch",
        "[lambda] a lambda may not use objects; got a switch over patterns, objects or "
            + "long values in the lambda in CLASS.objects (@pattern-switch); switch over an "
            + "int, or use if");
  }

  @Test
  void statements() {
    expect(
        "throw",
        "[lambda] a lambda may not throw exceptions; got new IllegalArgumentException in the lambda"
            + " in CLASS.statements (@throw); return a value that marks the failure, such as NaN");
    expect(
        "try",
        "[lambda] a lambda may not catch exceptions; got a try block in the lambda in "
            + "CLASS.statements (@try); remove it: arithmetic in a kernel never throws");
    expect(
        "synchronized",
        "[lambda] a lambda may not synchronize; got a synchronized block in the lambda "
            + "in CLASS.statements (@synchronized); remove it: a lambda has no side effects");
    expect(
        "endless",
        "[lambda] a lambda must return; got a loop that never ends in the lambda in "
            + "CLASS.statements (@endless); give the loop an exit");
  }

  @Test
  void fields() {
    expect(
        "field",
        "[lambda] a lambda may read parameters, local variables and static final "
            + "fields only; got a read of the field CLASS.field in the lambda in "
            + "CLASS.fields (@field); copy it to a local variable before the lambda and use "
            + "that");
    expect(
        "static-field",
        "[lambda] a lambda may read parameters, local variables and static final "
            + "fields only; got a read of the field CLASS.rate, which is not final, in the "
            + "lambda in CLASS.fields (@static-field); copy it to a local variable before "
            + "the lambda and use that");
    expect(
        "static-object",
        "[lambda] a lambda may read static final fields of primitive types only; got a "
            + "read of the object in CLASS.TABLE in the lambda in CLASS.fields "
            + "(@static-object); use primitives, and a tensor for an array");
    expect(
        "static-write",
        "[lambda] a lambda may not write to fields; got a write to the field "
            + "CLASS.rate in the lambda in CLASS.fields (@static-write); return the value "
            + "and assign it to a tensor");
  }

  @Test
  void calls() {
    expect(
        "instance-call",
        "[lambda] a lambda may call static methods only; got a call of the instance "
            + "method CLASS.scale(float) in the lambda in CLASS.calls (@instance-call); make "
            + "the method static, or compute the value before the lambda");
    expect(
        "string-call",
        "[lambda] a lambda may call static methods only; got a call of the instance "
            + "method String.length() in the lambda in CLASS.calls (@string-call); make the "
            + "method static, or compute the value before the lambda");
    expect(
        "object-call",
        "[lambda] a method that a lambda calls must take and return primitives; got a "
            + "call of Float.parseFloat(String) in the lambda in CLASS.calls (@object-call); "
            + "compute with primitives, or call it before the lambda");
    expect(
        "void-call",
        "[lambda] a method that a lambda calls must take and return primitives; got a "
            + "call of Thread.yield() in CLASS.nothing (@void-call), called by the lambda in "
            + "CLASS.calls (@void-call by); compute with primitives, or call it before the "
            + "lambda");
    expect(
        "random",
        "[lambda] a lambda must give equal results for equal arguments; got a call of "
            + "Math.random() in the lambda in CLASS.calls (@random); pass uniform(...) as a "
            + "further input");
    expect(
        "exact",
        "[lambda] a library method that a lambda calls must compute with primitives "
            + "and never throw; got a call of Math.addExact(int, int) in the lambda in "
            + "CLASS.calls (@exact); use operators, or call it before the lambda");
    expect(
        "native",
        "[lambda] a method that a lambda calls must have bytecode; got a call of "
            + "System.nanoTime(), which is native, abstract or missing, in the lambda in "
            + "CLASS.calls (@native); call it before the lambda");
  }

  @Test
  void recursionAndSize() {
    expect(
        "recursion",
        "[lambda] a method that a lambda calls may not be recursive; got a call of "
            + "CLASS.factorial, which has not returned yet, in CLASS.factorial (@recursion), "
            + "called by the lambda in CLASS.calls (@recursion by); write a loop");
    expect(
        "mutual",
        "[lambda] a method that a lambda calls may not be recursive; got a call of "
            + "CLASS.even, which has not returned yet, in CLASS.odd (@mutual), called by "
            + "CLASS.even (@mutual through), called by the lambda in CLASS.calls (@mutual "
            + "by); write a loop");
    expect(
        "nested",
        "[lambda] a lambda may read static final fields of primitive types only; got a "
            + "read of the object in CLASS.TABLE in CLASS.inner (@nested), called by "
            + "CLASS.outer (@nested through), called by the lambda in CLASS.calls (@nested "
            + "by); use primitives, and a tensor for an array");
    expect(
        "exponential",
        "[lambda] a lambda and the methods it calls may have 100000 instructions when "
            + "inlined; got more in CLASS.f1 (@exponential), called by CLASS.f2 (@f2), "
            + "called by CLASS.f3 (@f3), called by CLASS.f4 (@f4), called by CLASS.f5 (@f5), "
            + "called by CLASS.f6 (@f6), called by CLASS.f7 (@f7), called by the lambda in "
            + "CLASS.calls (@exponential by); call fewer methods, or evaluate the expression "
            + "in several steps");
  }

  @Test
  void references() {
    expect(
        "reference",
        "[lambda] a method reference must name a static method; got CLASS::scale in "
            + "CLASS; make the method static, or write a lambda");
    expect(
        "reference-to-objects",
        "[lambda] a method that a lambda calls must take and return primitives; got a "
            + "call of CLASS.same(Float) in CLASS; compute with primitives, or call it "
            + "before the lambda");
    expect(
        "reference-to-library",
        "[lambda] a library method that a lambda calls must compute with primitives "
            + "and never throw; got a call of Math.addExact(int, int) in CLASS; use "
            + "operators, or call it before the lambda");
    expect(
        "no-lambda",
        "[lambda] an operation takes a lambda or a method reference; got an object of "
            + "the class CLASS$1; write v -> method(v), with the code in a static method");
  }
}
