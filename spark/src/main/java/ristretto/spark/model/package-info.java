/** Models that compute batches of rows. */
package ristretto.spark.model;
