/** Hand-written OpenCL kernels, launched by bare JOCL, to compare with the engine's kernels. */
package ristretto.jmh.opencl;
