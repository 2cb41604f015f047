/** The {@code opencl} device: kernels as OpenCL C through JOCL. */
package ristretto.opencl;
