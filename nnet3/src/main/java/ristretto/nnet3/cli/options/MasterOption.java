package ristretto.nnet3.cli.options;

import ristretto.nnet3.cluster.Cluster;

/** The option {@code --master} of commands that may compute on a cluster. */
public final class MasterOption {
  private final Option<String> master;

  /**
   * Adds the option.
   *
   * @param use verb and object: use of the cluster
   */
  public MasterOption(ParseOptions options, String use) {
    master =
        options.string(
            "master",
            "",
            "Address of an Apache Spark cluster, such as spark://host:7077, which "
                + use
                + "; \"submitted\" for that of spark-submit. Default: this process");
  }

  /** Returns true if there is a cluster. */
  public boolean isGiven() {
    return !master.get().isEmpty();
  }

  /** Returns the address of the cluster. */
  public Cluster.Address address(String command, CommandLog log) {
    return new Cluster.Address(command, master.get(), line -> log.info("%s", line));
  }
}
