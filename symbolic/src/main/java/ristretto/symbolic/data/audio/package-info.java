/** Data sets of sound, and spectral features as expressions. */
package ristretto.symbolic.data.audio;
