package ristretto.cuda;

import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Before any test, also of other modules, looks for devices: chooses the GPU that all use. */
public final class StandInSession implements LauncherSessionListener {
  @Override
  public void launcherSessionOpened(LauncherSession session) {
    TestDevice.hardware();
  }
}
