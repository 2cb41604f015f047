/// Images and sound in files, as bytes and samples in host memory.
package ristretto.expr.media;
