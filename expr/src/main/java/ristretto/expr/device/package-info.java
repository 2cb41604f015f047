/// Selection of a device by name, such as `cpu`, `opencl:gpu` or `best`.
package ristretto.expr.device;
