/** Interface between devices and the layers above; see {@link ristretto.kernels.device.Device}. */
package ristretto.kernels.device;
