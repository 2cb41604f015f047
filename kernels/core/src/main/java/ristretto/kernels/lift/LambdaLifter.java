package ristretto.kernels.lift;

import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Lifts one lambda to a {@link LiftedLambda}. */
final class LambdaLifter {
  private final Lambda lambda;
  private final SerializedLambda form;
  private final LiftSession session;
  private final Logic logic = new Logic(new TapeBuilder());
  private final Signature interfaceMethod;
  private final Signature method;
  private final boolean isStatic;
  private final int capturedCount;
  private final List<ScalarType> parameters = new ArrayList<>();
  private final List<ScalarType> captured = new ArrayList<>();
  private String description;

  LambdaLifter(Lambda lambda) {
    this.lambda = lambda;
    this.form = SerializedForm.of(lambda);
    this.session = new LiftSession(form.getCapturingClass().replace('/', '.'));
    this.interfaceMethod = Signature.of(form.getFunctionalInterfaceMethodSignature());
    this.method = Signature.of(form.getImplMethodSignature());
    this.isStatic = form.getImplMethodKind() == MethodHandleInfo.REF_invokeStatic;
    this.capturedCount = method.parameters().length() - interfaceMethod.parameters().length();
  }

  LiftedLambda lift() {
    long start = System.nanoTime();
    boolean isReference = !form.getImplMethodName().startsWith("lambda$");
    if (isReference && !isStatic) {
      throw Refusals.instanceReference(
          form.getCapturingClass(), form.getImplClass(), form.getImplMethodName());
    }
    int[] arguments = arguments();
    int row = isReference ? reference(arguments) : body(arguments);
    row = logic.tape().convert(row, Signature.type(interfaceMethod.result()));
    CapturedValues values = null;
    if (!captured.isEmpty()) {
      // A lambda in an instance method captures `this` first, which is not an argument of the
      // kernel.
      String letters = (isStatic ? "" : "L") + method.parameters().substring(0, capturedCount);
      values = new CapturedValues(lambda, letters, form);
    }
    var lifted =
        new LiftedLambda(logic.tape().build(row), parameters, captured, description, values);
    Passes.timed(description, "lifting", start);
    if (Debug.on(Debug.PASSES, description)) {
      report(lifted);
    }
    return lifted;
  }

  /**
   * Returns inputs for the captured values and the parameters, in the method's order; parameters
   * have the first input slots.
   */
  private int[] arguments() {
    int count = interfaceMethod.parameters().length();
    for (int k = 0; k < count; k++) {
      parameters.add(Signature.type(interfaceMethod.parameters().charAt(k)));
    }
    int[] arguments = new int[capturedCount + count];
    for (int k = 0; k < arguments.length; k++) {
      char letter = method.parameters().charAt(k);
      if (letter == Signature.OBJECT) {
        arguments[k] = State.OBJECT;
      } else if (k < capturedCount) {
        ScalarType type = Signature.type(letter);
        arguments[k] = logic.tape().input(count + captured.size(), type);
        captured.add(type);
      } else {
        int slot = k - capturedCount;
        int input = logic.tape().input(slot, parameters.get(slot));
        arguments[k] = logic.tape().convert(input, Signature.type(letter));
      }
    }
    return arguments;
  }

  private int reference(int[] arguments) {
    description = form.getImplClass().replace('/', '.') + "::" + form.getImplMethodName();
    return session.reference(
        logic,
        lambda.getClass(),
        form.getImplClass(),
        form.getImplMethodName(),
        form.getImplMethodSignature(),
        arguments);
  }

  private int body(int[] arguments) {
    MethodCode code =
        session.find(
            lambda.getClass(),
            form.getImplClass(),
            form.getImplMethodName(),
            form.getImplMethodSignature());
    description = code.place().at(code.line(0));
    return session.enter(logic, code, arguments, null, 0);
  }

  private static void report(LiftedLambda lifted) {
    var text = new StringBuilder("[lambda] lifted ").append(lifted.description());
    text.append('\n').append(lifted.tape());
    for (Node node : lifted.tape().nodes()) {
      if (node instanceof Node.Call call) {
        text.append(call.function());
      }
    }
    System.err.println(text);
  }
}
