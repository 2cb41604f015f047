package ristretto.spark.train;

import java.io.Serializable;
import ristretto.expr.Context;

/**
 * Training that a process can open, sent once.
 *
 * @param key key of the training in the processes of the cluster
 * @param opening opens the model
 */
public record Work(String key, Opening opening) implements Serializable {
  /** Opens the model of a training, with its optimizer. */
  public interface Opening extends Serializable {
    /** Opens the model on a device. */
    Trainee open(Context ctx);
  }
}
