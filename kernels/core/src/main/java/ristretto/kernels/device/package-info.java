/** What a device offers to the layers above; see {@link ristretto.kernels.device.Device}. */
package ristretto.kernels.device;
