package ristretto.symbolic;

import ristretto.symbolic.layers.LossLayers;

/**
 * Operators as static functions of variables, for {@code import static
 * ristretto.symbolic.Layers.*}; the superclasses hold them by topic.
 */
public final class Layers extends LossLayers {
  private Layers() {}
}
