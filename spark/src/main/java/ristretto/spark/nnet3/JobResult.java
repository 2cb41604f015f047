package ristretto.spark.nnet3;

import java.io.Serializable;
import ristretto.nnet3.train.ObjectiveTotals;

/**
 * Result of a job.
 *
 * @param network the trained network as the content of a raw file
 */
record JobResult(int job, ObjectiveTotals.Value objective, byte[] network)
    implements Serializable {}
