package ristretto.nnet3.fit;

import java.io.Serializable;
import java.nio.file.Path;

/** Files that jobs read, in the process where they run. */
public interface JobFiles extends Serializable {
  /** Files of this machine. */
  JobFiles HERE = file -> Path.of(file);

  /** Returns a file with the content of a file of the training. */
  Path copy(String file);
}
