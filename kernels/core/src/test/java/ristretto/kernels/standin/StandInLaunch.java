package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverBuffer;
import ristretto.kernels.driver.DriverLaunch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.java.JavaProgram;

/** A kernel as a class that runs in this virtual machine. */
final class StandInLaunch extends DriverLaunch<MemorySegment> {
  private static final String PATH =
      KernelContext.class.getProtectionDomain().getCodeSource().getLocation().getPath();

  private final StandInDevice device;
  private final Map<String, MethodHandle> methods = new HashMap<>();
  private final Map<String, Class<?>[]> types = new HashMap<>();

  StandInLaunch(StandInDevice device, Kernel kernel, boolean counted) {
    super(device, kernel, device.target(), ".java", null, counted);
    this.device = device;
    var loader = new Loader(JavaProgram.compile(routine.program(), PATH));
    for (Method method : loader.type.getDeclaredMethods()) {
      if (java.lang.reflect.Modifier.isPublic(method.getModifiers())) {
        try {
          methods.put(method.getName(), MethodHandles.publicLookup().unreflect(method));
          types.put(method.getName(), method.getParameterTypes());
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  private static final class Loader extends ClassLoader {
    private final Class<?> type;

    Loader(byte[] code) {
      super(StandInLaunch.class.getClassLoader());
      type = defineClass(null, code, 0, code.length);
    }
  }

  @Override
  protected Launch part(Kernel kernel) {
    return new StandInLaunch(device, kernel, false);
  }

  @Override
  protected void start(Buffer[] buffers, long[] scalars) {
    var constants = StandInDevice.memory(8L * routine.constants().size());
    for (int k = 0; k < routine.constants().size(); k++) {
      new LongArray(constants).set(k, routine.constants().get(k));
    }
    for (Routine.Step step : routine.steps()) {
      Class<?>[] parameters = types.get(step.entry());
      Object[] arguments = new Object[parameters.length];
      for (int k = 0; k < step.arguments().size(); k++) {
        arguments[k + 1] =
            switch (step.arguments().get(k)) {
              case Routine.Argument.Constants _ -> new LongArray(constants);
              case Routine.Argument.Memory m ->
                  array(parameters[k + 1], memory(buffers[m.buffer()]));
              case Routine.Argument.Scratch s ->
                  array(
                      parameters[k + 1],
                      scratch(s.number()).asSlice(0, routine.scratch().get(s.number())));
              case Routine.Argument.Scalar s -> scalars[s.argument()];
              case Routine.Argument.Number n -> n.value();
            };
      }
      run(step, arguments);
    }
  }

  /** Its own bytes only: what lies behind them is another's. */
  private static MemorySegment memory(Buffer buffer) {
    return ((MemorySegment) ((DriverBuffer<?>) buffer).memory()).asSlice(0, buffer.bytes());
  }

  private static Object array(Class<?> type, MemorySegment memory) {
    try {
      return type.getConstructor(MemorySegment.class).newInstance(memory);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private void run(Routine.Step step, Object[] arguments) {
    MethodHandle method = methods.get(step.entry());
    int[] size = step.group().stream().mapToInt(Math::toIntExact).toArray();
    for (int z = 0; z < step.groups().get(2); z++) {
      for (int y = 0; y < step.groups().get(1); y++) {
        for (int x = 0; x < step.groups().get(0); x++) {
          Group.run(
              new int[] {x, y, z},
              size,
              context -> {
                Object[] own = arguments.clone();
                own[0] = context;
                try {
                  method.invokeWithArguments(own);
                } catch (RuntimeException | Error e) {
                  throw e;
                } catch (Throwable e) {
                  throw new AssertionError(e);
                }
              });
        }
      }
    }
  }
}
