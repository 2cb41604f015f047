package ristretto.kernels.lift;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import ristretto.kernels.lambda.Lambda;

/** Serialized form of a lambda, which names the implementing method and the captured values. */
final class SerializedForm {
  private SerializedForm() {}

  /**
   * Returns the serialized form of a lambda.
   *
   * @throws ristretto.kernels.LambdaException if the object is no lambda
   */
  static SerializedLambda of(Lambda lambda) {
    Object form;
    try {
      Method writeReplace = lambda.getClass().getDeclaredMethod("writeReplace");
      writeReplace.setAccessible(true);
      form = writeReplace.invoke(lambda);
    } catch (InaccessibleObjectException e) {
      form = throughStream(lambda);
    } catch (ReflectiveOperationException e) {
      form = null;
    }
    if (form instanceof SerializedLambda serialized) {
      return serialized;
    }
    throw Refusals.notALambda(lambda.getClass());
  }

  /**
   * Returns the serialized form for modules that do not open their package: object serialization
   * may call writeReplace in any module.
   */
  private static Object throughStream(Lambda lambda) {
    try (var stream = new Replacing()) {
      stream.writeObject(lambda);
      return stream.form;
    } catch (IOException e) {
      return null;
    }
  }

  private static final class Replacing extends ObjectOutputStream {
    private Object form;

    Replacing() throws IOException {
      super(OutputStream.nullOutputStream());
      enableReplaceObject(true);
    }

    @Override
    protected Object replaceObject(Object object) {
      form = object;
      return null;
    }
  }
}
