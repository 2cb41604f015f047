package ristretto.expr;

/** Convolutions, windows, short-time spectra and other signal processing. */
abstract class SignalOps extends SelectionOps {
  SignalOps() {}
}
