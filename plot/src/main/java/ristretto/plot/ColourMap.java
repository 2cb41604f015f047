package ristretto.plot;

import java.awt.Color;

/** Colours of numbers from dark violet over green to yellow, readable without colours too. */
final class ColourMap {
  private static final int[] STOPS = {
    0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b,
    0xfde725
  };

  private ColourMap() {}

  /** Colour of a share from 0 to 1. */
  static int rgb(double share) {
    double at = Math.clamp(share, 0, 1) * (STOPS.length - 1);
    int k = Math.min((int) at, STOPS.length - 2);
    int rgb = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int a = STOPS[k] >> shift & 0xff;
      int b = STOPS[k + 1] >> shift & 0xff;
      rgb |= (int) Math.rint(a + (at - k) * (b - a)) << shift;
    }
    return rgb;
  }

  static Color colour(double share) {
    return new Color(rgb(share));
  }
}
