/** Common code of devices behind a driver: memory, launches, programs on disk, library calls. */
package ristretto.kernels.driver;
