package ristretto.nnet3.component;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;

/** The types of components by name. */
public final class ComponentTypes {
  /** Makes a component of what a config line says. */
  private interface FromConfig {
    Component create(ConfigLine line, RandomGenerator random);
  }

  private static final Map<String, FromConfig> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("NoOpComponent", (line, random) -> new NoOpComponent(line));
  }

  private ComponentTypes() {}

  /** The names of all types. */
  public static Set<String> names() {
    return TYPES.keySet();
  }

  /**
   * A component of a type, with what a config line says; parameters are drawn from {@code random}.
   */
  public static Component create(String type, ConfigLine line, RandomGenerator random) {
    return TYPES.get(type).create(line, random);
  }
}
