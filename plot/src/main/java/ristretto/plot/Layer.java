package ristretto.plot;

/** Part of a plot. */
sealed interface Layer permits Curve, Bars, Raster, Contours {
  /** Range of the horizontal axis. */
  Range x();

  /** Range of the vertical axis. */
  Range y();
}
