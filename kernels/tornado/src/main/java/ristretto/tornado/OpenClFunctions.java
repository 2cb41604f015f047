package ristretto.tornado;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import jdk.graal.compiler.nodes.ValueNode;
import jdk.graal.compiler.nodes.graphbuilderconf.GraphBuilderContext;
import jdk.graal.compiler.nodes.graphbuilderconf.NodePlugin;
import jdk.vm.ci.meta.JavaKind;
import jdk.vm.ci.meta.ResolvedJavaMethod;
import ristretto.kernels.source.java.JavaDialect;

/**
 * Replaces methods of rendered programs by functions of OpenCL C. TornadoVM would reject most of
 * them, and compute others in F32 or by a faster, less precise function.
 */
final class OpenClFunctions implements NodePlugin {
  private static final String[] SAME = {
    "sqrt", "fma", "fmod", "exp", "expm1", "log", "log10", "log1p", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "cbrt", "pow", "atan2", "hypot"
  };

  private static final Map<String, String> OF_PROGRAMS = new HashMap<>();

  static {
    for (String type : new String[] {"f32", "f64"}) {
      for (String name : SAME) {
        OF_PROGRAMS.put(name + "_" + type, name);
      }
      OF_PROGRAMS.put("abs_" + type, "fabs");
      OF_PROGRAMS.put("i32_of_" + type, "convert_int_sat_rtz");
      OF_PROGRAMS.put("i64_of_" + type, "convert_long_sat_rtz");
    }
  }

  /** Integer operations with wraparound. */
  private static final Set<String> WRAPPING =
      Set.of("add_i32", "add_i64", "sub_i32", "sub_i64", "mul_i32", "mul_i64");

  private static final Map<String, String> OF_JAVA =
      Map.of(
          "java.lang.Float.floatToRawIntBits", "as_int",
          "java.lang.Float.intBitsToFloat", "as_float",
          "java.lang.Double.doubleToRawLongBits", "as_long",
          "java.lang.Double.longBitsToDouble", "as_double");

  @Override
  public boolean handleInvoke(GraphBuilderContext b, ResolvedJavaMethod method, ValueNode[] args) {
    String type = method.getDeclaringClass().toJavaName();
    JavaKind result = method.getSignature().getReturnKind();
    if (type.equals(JavaDialect.CLASS) && WRAPPING.contains(method.getName())) {
      String operation = method.getName().substring(0, 3);
      b.addPush(result, new WrapNode(operation, result, args[0], args[1]));
      return true;
    }
    String name =
        type.equals(JavaDialect.CLASS)
            ? OF_PROGRAMS.get(method.getName())
            : OF_JAVA.get(type + "." + method.getName());
    if (name == null) {
      return false;
    }
    b.addPush(result, new CallNode(name, result, args));
    return true;
  }
}
