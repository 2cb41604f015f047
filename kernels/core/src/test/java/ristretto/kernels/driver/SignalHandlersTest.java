package ristretto.kernels.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A signal that the JVM has no use for stands for those that it cannot do without. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "Windows has no signals")
class SignalHandlersTest {
  private static final int UNUSED = OS.current() == OS.MAC ? 16 : 23;
  private static final MemorySegment DEFAULT = MemorySegment.NULL;
  private static final MemorySegment IGNORE = MemorySegment.ofAddress(1);

  private static final MethodHandle SIGNAL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("signal").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  /** Installs a signal handler and returns the previous one. */
  private static MemorySegment set(MemorySegment handler) {
    try {
      return (MemorySegment) SIGNAL.invokeExact(UNUSED, handler);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  @AfterEach
  void reset() {
    set(DEFAULT);
  }

  @Test
  void handlersOfDriversGo() {
    MemorySegment was = SignalHandlers.keep(() -> set(IGNORE));
    assertThat(was).isEqualTo(DEFAULT);
    assertThat(set(DEFAULT)).isEqualTo(DEFAULT);
  }

  @Test
  void thoseThatWereThereStay() {
    set(IGNORE);
    SignalHandlers.keep(() -> set(DEFAULT));
    assertThat(set(DEFAULT)).isEqualTo(IGNORE);
  }

  @Test
  void callsWithinCallsKnowWhatWasThereFirst() {
    SignalHandlers.keep(() -> {
      set(IGNORE);
      SignalHandlers.keep(() -> null);
      assertThat(set(IGNORE)).isEqualTo(DEFAULT);
      return null;
    });
    assertThat(set(DEFAULT)).isEqualTo(DEFAULT);
  }

  @Test
  void handlersOfDriversGoWhileTheCallLasts() {
    SignalHandlers.keep(() -> {
      set(IGNORE);
      long end = System.nanoTime() + 30_000_000_000L;
      boolean restored = false;
      while (!restored && System.nanoTime() < end) {
        restored = set(IGNORE).equals(DEFAULT);
      }
      assertThat(restored).isTrue();
      return null;
    });
  }

  @Test
  void handlersOfDriversThatFailGoToo() {
    assertThatThrownBy(() ->
            SignalHandlers.keep(() -> {
              set(IGNORE);
              throw new IllegalStateException("no driver");
            }))
        .hasMessage("no driver");
    assertThat(set(DEFAULT)).isEqualTo(DEFAULT);
  }
}
