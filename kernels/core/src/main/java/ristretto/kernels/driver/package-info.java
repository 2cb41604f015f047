/** What devices behind a driver share: memory, launches, programs on disk, calls of libraries. */
package ristretto.kernels.driver;
