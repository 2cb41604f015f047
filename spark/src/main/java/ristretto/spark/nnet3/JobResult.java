package ristretto.spark.nnet3;

import java.io.Serializable;
import ristretto.nnet3.train.ObjectiveTotals;

/**
 * Result of a job.
 *
 * @param network the trained network
 */
record JobResult(int job, ObjectiveTotals.Value objective, SentNetwork network)
    implements Serializable {}
