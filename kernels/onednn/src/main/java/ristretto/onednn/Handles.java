package ristretto.onednn;

import java.util.ArrayList;
import java.util.List;

/** What the library made for one routine, until it is given back. */
final class Handles implements Runnable {
  private record Handle(OneDnn.Kind kind, long handle) {}

  private final List<Handle> handles = new ArrayList<>();

  /** Keeps something; answers its handle, which may be 0 for nothing. */
  synchronized long keep(OneDnn.Kind kind, long handle) {
    if (handle != 0) {
      handles.add(new Handle(kind, handle));
    }
    return handle;
  }

  /** Gives all back, the last first. */
  @Override
  public synchronized void run() {
    for (Handle h : handles.reversed()) {
      OneDnn.destroy(h.kind, h.handle);
    }
    handles.clear();
  }
}
