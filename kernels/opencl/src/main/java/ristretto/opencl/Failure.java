package ristretto.opencl;

import static org.jocl.CL.*;

import org.jocl.CLException;
import ristretto.kernels.DeviceException;

/** Translates errors of the OpenCL driver into exceptions for the user. */
final class Failure {
  /** Error code of NVIDIA's driver: a kernel accessed memory out of bounds. */
  private static final int ILLEGAL_ACCESS = -9999;

  private Failure() {}

  /**
   * Returns the exception for an error of the driver.
   *
   * @param op name of the failed operation
   * @param device name of the device
   */
  static DeviceException of(String op, String device, CLException e) {
    String answer = device + " reports " + e.getMessage();
    return new DeviceException(
        "["
            + op
            + "] "
            + switch (e.getStatus()) {
              case CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY ->
                  "memory must suffice; "
                      + answer
                      + ": drivers allocate memory only at its first use; release tensors that are"
                      + " no longer needed, or set -Dristretto.opencl.memory-limit to the free"
                      + " memory";
              case CL_DEVICE_NOT_AVAILABLE, CL_INVALID_COMMAND_QUEUE, ILLEGAL_ACCESS ->
                  "the device must stay available; "
                      + answer
                      + ": it is lost, and so is its memory; open a new context, and look into the"
                      + " system's log if it happens again";
              default ->
                  "the driver must succeed; "
                      + answer
                      + "; the device may be lost, or its memory full: open a new context, and look"
                      + " into the system's log if it happens again";
            },
        e);
  }
}
