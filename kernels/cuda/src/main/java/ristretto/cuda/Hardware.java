package ristretto.cuda;

import static jcuda.driver.CUdevice_attribute.*;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import jcuda.driver.CUdevice;
import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.DriverProvider.Found;

/**
 * GPU and its properties.
 *
 * @param index the driver's index, which respects CUDA_VISIBLE_DEVICES
 * @param capability compute capability times 10: 90 for 9.0
 * @param units number of multiprocessors
 * @param memory size of the device's memory in bytes
 * @param shared maximum shared memory of a thread block in bytes
 * @param pools true if the driver supports stream-ordered allocation
 */
record Hardware(
    Driver driver,
    CUdevice id,
    int index,
    String name,
    int capability,
    int units,
    long memory,
    long shared,
    boolean pools) {
  static Found<Hardware> find() {
    Driver.Found driver = Driver.find();
    return driver.driver() == null
        ? new Found<>(List.of(), driver.remedy())
        : find(driver.driver());
  }

  private static Found<Hardware> find(Driver driver) {
    int[] count = new int[1];
    int status = JCudaDriver.cuDeviceGetCount(count);
    if (status != CUresult.CUDA_SUCCESS) {
      return new Found<>(List.of(), Missing.answer(CUresult.stringFor(status)));
    }
    var all = new ArrayList<Hardware>();
    for (int index = 0; index < count[0]; index++) {
      all.add(of(driver, index));
    }
    return new Found<>(all, all.isEmpty() ? Missing.gpu() : "");
  }

  private static Hardware of(Driver driver, int index) {
    var id = new CUdevice();
    JCudaDriver.cuDeviceGet(id, index);
    byte[] name = new byte[256];
    JCudaDriver.cuDeviceGetName(name, name.length, id);
    int end = 0;
    while (end < name.length && name[end] != 0) {
      end++;
    }
    long[] memory = new long[1];
    JCudaDriver.cuDeviceTotalMem(memory, id);
    return new Hardware(
        driver,
        id,
        index,
        new String(name, 0, end, StandardCharsets.UTF_8).strip(),
        10 * attribute(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
            + attribute(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        attribute(id, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        memory[0],
        attribute(id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        attribute(id, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0);
  }

  private static int attribute(CUdevice id, int attribute) {
    int[] value = new int[1];
    JCudaDriver.cuDeviceGetAttribute(value, attribute, id);
    return value[0];
  }

  /** Describes the GPU for users: model, architecture, multiprocessors, memory, driver version. */
  String description() {
    return "%s, GPU, compute capability %s, %s multiprocessors, %s, driver for CUDA %s"
        .formatted(
            name,
            capabilityWords(),
            units,
            MemoryLimit.words(memory),
            Driver.words(driver.version));
  }

  /** Formats capability 90 as 9.0. */
  String capabilityWords() {
    return capability / 10 + "." + capability % 10;
  }
}
