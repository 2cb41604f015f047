package ristretto.kernels.lift;

import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Turns lambdas into scalar IR, once for each lambda class, that is for each place in a program.
 */
public final class Lifter {
  private static final ClassValue<Slot> CACHE =
      new ClassValue<>() {
        @Override
        protected Slot computeValue(Class<?> type) {
          return new Slot();
        }
      };

  /** Filled by the first lambda of a class. */
  private static final class Slot {
    volatile LiftedLambda lifted;
  }

  private Lifter() {}

  /**
   * The IR of a lambda or method reference. The first lambda of a class has its bytecode read;
   * later ones cost a look-up.
   *
   * @throws ristretto.kernels.LambdaException if it holds something that cannot become part of a
   *     kernel
   */
  public static LiftedLambda lift(Lambda lambda) {
    if (JShell.made(lambda.getClass())) {
      return liftNow(lambda);
    }
    Slot slot = CACHE.get(lambda.getClass());
    LiftedLambda lifted = slot.lifted;
    if (lifted == null) {
      synchronized (slot) {
        lifted = slot.lifted;
        if (lifted == null) {
          lifted = liftNow(lambda);
          slot.lifted = lifted;
        }
      }
    }
    return lifted;
  }

  private static LiftedLambda liftNow(Lambda lambda) {
    SerializedLambda form = SerializedForm.of(lambda);
    var session = new LiftSession(form.getCapturingClass().replace('/', '.'));
    var logic = new Logic(new TapeBuilder());
    Signature interfaceMethod = Signature.of(form.getFunctionalInterfaceMethodSignature());
    Signature method = Signature.of(form.getImplMethodSignature());
    boolean isStatic = form.getImplMethodKind() == MethodHandleInfo.REF_invokeStatic;
    boolean isReference = !form.getImplMethodName().startsWith("lambda$");
    if (isReference && !isStatic) {
      throw Refusals.instanceReference(
          form.getCapturingClass(), form.getImplClass(), form.getImplMethodName());
    }

    var parameters = new ArrayList<ScalarType>();
    int count = interfaceMethod.parameters().length();
    for (int k = 0; k < count; k++) {
      parameters.add(Signature.type(interfaceMethod.parameters().charAt(k)));
    }
    // An instance method's lambda captures `this` before all else, which is no argument.
    String implParameters = method.parameters();
    int capturedCount = implParameters.length() - count;
    var captured = new ArrayList<ScalarType>();
    int[] arguments = new int[implParameters.length()];
    for (int k = 0; k < capturedCount; k++) {
      char letter = implParameters.charAt(k);
      if (letter == Signature.OBJECT) {
        arguments[k] = State.OBJECT;
      } else {
        arguments[k] = logic.tape().input(count + captured.size(), Signature.type(letter));
        captured.add(Signature.type(letter));
      }
    }
    for (int k = 0; k < count; k++) {
      char letter = implParameters.charAt(capturedCount + k);
      int input = logic.tape().input(k, parameters.get(k));
      arguments[capturedCount + k] =
          letter == Signature.OBJECT
              ? State.OBJECT
              : logic.tape().convert(input, Signature.type(letter));
    }

    Class<?> from = lambda.getClass();
    String owner = form.getImplClass();
    String name = form.getImplMethodName();
    int row;
    String description;
    if (isReference) {
      description = owner.replace('/', '.') + "::" + name;
      row =
          session.reference(
              logic, from, owner, name, form.getImplMethodSignature(), method, arguments);
    } else {
      MethodCode code = session.implementation(from, owner, name, form.getImplMethodSignature());
      description = code.place().at(code.line(0));
      row = session.enter(logic, code, arguments, null, 0);
    }
    row = logic.tape().convert(row, Signature.type(interfaceMethod.result()));
    String letters = (isStatic ? "" : "L") + implParameters.substring(0, capturedCount);
    var values = captured.isEmpty() ? null : new CapturedValues(lambda, letters, form);
    return new LiftedLambda(logic.tape().build(row), parameters, captured, description, values);
  }
}
