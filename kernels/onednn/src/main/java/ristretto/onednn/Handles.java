package ristretto.onednn;

import java.util.ArrayList;
import java.util.List;

/** Objects that oneDNN allocated for one routine, destroyed together. */
final class Handles implements Runnable {
  private record Handle(OneDnn.Kind kind, long handle) {}

  private final List<Handle> handles = new ArrayList<>();

  /** Registers and returns a handle; 0 stands for no object. */
  synchronized long keep(OneDnn.Kind kind, long handle) {
    if (handle != 0) {
      handles.add(new Handle(kind, handle));
    }
    return handle;
  }

  /** Destroys all objects, in reverse order. */
  @Override
  public synchronized void run() {
    for (Handle h : handles.reversed()) {
      OneDnn.destroy(h.kind, h.handle);
    }
    handles.clear();
  }
}
