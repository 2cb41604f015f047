package ristretto.expr.memory;

import ristretto.kernels.device.Device;

/**
 * Owner of memory and device that plans are made for. Plans and programs use a context through this
 * interface only; memory of two owners never meets in one plan.
 */
public interface PlanContext {
  /** Device that runs the plans. */
  Device device();

  /** Memory of the device: tensors, and the buffers of temporaries. */
  DeviceMemory memory();
}
