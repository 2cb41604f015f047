/** Prediction as an operator of Spark's plans. */
package ristretto.spark.plan;
