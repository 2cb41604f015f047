/**
 * Kernels: scalar IR, lambda lifting, kernel IR, code generation and the embedded {@code cpu}
 * device.
 */
module ristretto.kernels {
  requires java.compiler;
  requires jdk.management;
  requires org.slf4j;
  requires static jdk.incubator.vector;

  exports ristretto.kernels;
  exports ristretto.kernels.block;
  exports ristretto.kernels.lambda;
  exports ristretto.kernels.scalar to
      ristretto.cuda,
      ristretto.expr,
      ristretto.onednn,
      ristretto.opencl,
      ristretto.tornado;
  exports ristretto.kernels.cpu to
      ristretto.onednn;
  exports ristretto.kernels.cpu.blas to
      ristretto.expr,
      ristretto.nnet3;
  exports ristretto.kernels.cpu.convolution to
      ristretto.onednn;
  exports ristretto.kernels.fourier to
      ristretto.expr;
  exports ristretto.kernels.gradient to
      ristretto.expr;
  exports ristretto.kernels.lift to
      ristretto.expr;
  exports ristretto.kernels.ir to
      ristretto.cuda,
      ristretto.expr,
      ristretto.onednn,
      ristretto.opencl,
      ristretto.tornado;
  exports ristretto.kernels.device to
      ristretto.cuda,
      ristretto.expr,
      ristretto.opencl,
      ristretto.testkit,
      ristretto.tornado;
  exports ristretto.kernels.debug to
      ristretto.cuda,
      ristretto.expr,
      ristretto.onednn,
      ristretto.opencl,
      ristretto.symbolic,
      ristretto.tornado;
  exports ristretto.kernels.cache to
      ristretto.cuda,
      ristretto.expr,
      ristretto.nnet3,
      ristretto.onednn,
      ristretto.opencl,
      ristretto.tornado;
  exports ristretto.kernels.driver to
      ristretto.cuda,
      ristretto.opencl,
      ristretto.tornado;
  exports ristretto.kernels.text to
      ristretto.expr;
  exports ristretto.kernels.source to
      ristretto.cuda,
      ristretto.opencl,
      ristretto.tornado;
  exports ristretto.kernels.source.java to
      ristretto.tornado;

  uses ristretto.kernels.cpu.convolution.ConvolutionLibrary;
  uses ristretto.kernels.device.DeviceProvider;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.kernels.cpu.CpuProvider;
}
