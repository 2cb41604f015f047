/** Plots of tensors: lines, points, histograms, heat maps, images and contours. */
module ristretto.plot {
  requires java.desktop;
  requires org.knowm.xchart;
  requires transitive ristretto.expr;

  exports ristretto.plot;
}
