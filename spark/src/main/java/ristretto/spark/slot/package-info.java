/** Contexts of an executor, one for each task that runs at the same time. */
package ristretto.spark.slot;
