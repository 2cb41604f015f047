package ristretto.nnet3;

import ristretto.kernels.RistrettoException;

/**
 * A config line breaks a rule. The message quotes the line and points at the place:
 *
 * <pre>{@code
 * [config] a key must be one of ...; got 'imput'; did you mean 'input'? At net.config:12
 *   component-node name=a component=a imput=input
 *                                     ^
 * }</pre>
 */
public final class ConfigException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as above. */
  public ConfigException(String message) {
    super(message);
  }
}
