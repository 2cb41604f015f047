/** The {@code tornado} device: kernels as Java, which TornadoVM compiles for its backends. */
package ristretto.tornado;
