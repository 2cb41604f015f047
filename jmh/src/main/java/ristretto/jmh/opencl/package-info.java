/** Hand-written OpenCL kernels, launched by nothing but JOCL, beside those of the engine. */
package ristretto.jmh.opencl;
