package ristretto.cuda;

import jcuda.driver.CUresult;
import ristretto.kernels.DeviceException;

/** Translates errors of the CUDA driver into exceptions for the user. */
final class Failure {
  private Failure() {}

  /** Throws the exception for {@code status} unless it is success. */
  static void check(int status, String op, Hardware hardware) {
    if (status != CUresult.CUDA_SUCCESS) {
      throw of(status, op, hardware.name());
    }
  }

  /**
   * Returns the exception for an error of the driver.
   *
   * @param op name of the failed operation
   * @param device name of the device
   */
  static DeviceException of(int status, String op, String device) {
    String answer = device + " reports " + CUresult.stringFor(status);
    return new DeviceException(
        "["
            + op
            + "] "
            + switch (status) {
              case CUresult.CUDA_ERROR_OUT_OF_MEMORY ->
                  "memory must suffice; "
                      + answer
                      + ": other programs may use it (nvidia-smi lists them); release tensors that"
                      + " are no longer needed, or set -Dristretto.cuda.memory-limit to the free"
                      + " memory";
              case CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU,
                  CUresult.CUDA_ERROR_INVALID_IMAGE,
                  CUresult.CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                  CUresult.CUDA_ERROR_INVALID_PTX ->
                  "the driver must accept the compiled code; "
                      + answer
                      + ": the compiler is newer than the driver; update the driver, or name an"
                      + " older CUDA with RISTRETTO_CUDA_LIBRARIES";
              case CUresult.CUDA_ERROR_ILLEGAL_ADDRESS,
                  CUresult.CUDA_ERROR_LAUNCH_FAILED,
                  CUresult.CUDA_ERROR_LAUNCH_TIMEOUT,
                  CUresult.CUDA_ERROR_MISALIGNED_ADDRESS,
                  CUresult.CUDA_ERROR_ILLEGAL_INSTRUCTION,
                  CUresult.CUDA_ERROR_ECC_UNCORRECTABLE,
                  CUresult.CUDA_ERROR_HARDWARE_STACK_ERROR,
                  CUresult.CUDA_ERROR_CONTEXT_IS_DESTROYED,
                  CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE ->
                  "the device must stay available; "
                      + answer
                      + ": this process has lost it and its memory; start the program again, and"
                      + " look into the system's log (dmesg) if it happens again";
              default ->
                  "the driver must succeed; "
                      + answer
                      + "; see whether nvidia-smi shows the GPU, and update the driver if it does";
            });
  }
}
