/** Computing the rows of a partition. */
package ristretto.spark.predict;
