package ristretto.nnet3.config;

import ristretto.kernels.RistrettoException;

/**
 * Thrown if a config line breaks a rule. The message quotes the line and marks the position:
 *
 * <pre>{@code
 * [config] a key must be one of ...; got 'imput'; did you mean 'input'? At net.config:12
 *   component-node name=a component=a imput=input
 *                                     ^
 * }</pre>
 */
public final class ConfigException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form shown above. */
  public ConfigException(String message) {
    super(message);
  }
}
