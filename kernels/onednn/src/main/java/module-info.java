/** Convolutions of the {@code cpu} device by oneDNN. */
module ristretto.onednn {
  requires ristretto.kernels;

  provides ristretto.kernels.cpu.ConvolutionLibrary with
      ristretto.onednn.OneDnnLibrary;
}
