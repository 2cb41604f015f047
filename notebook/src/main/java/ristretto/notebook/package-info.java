/** Kernel for Jupyter notebooks. */
package ristretto.notebook;
