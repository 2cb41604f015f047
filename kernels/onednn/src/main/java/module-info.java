/** Convolutions of the {@code cpu} device by oneDNN. */
module ristretto.onednn {
  requires ristretto.kernels;

  provides ristretto.kernels.cpu.convolution.ConvolutionLibrary with
      ristretto.onednn.OneDnnLibrary;
}
