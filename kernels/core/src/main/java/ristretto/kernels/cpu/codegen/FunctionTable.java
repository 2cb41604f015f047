package ristretto.kernels.cpu.codegen;

import static java.lang.classfile.ClassFile.ACC_STATIC;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.scalar.Function;

/** Lifted functions that a generated class calls; each becomes a static method of that class. */
final class FunctionTable {
  private static final String LANES = "Lanes";
  private static final String VECTOR = "Vector";

  private final ClassDesc self;
  private final List<Function> functions = new ArrayList<>();
  private final Set<Function> byLanes = new HashSet<>();
  private final Map<Function, Set<Integer>> byVector = new HashMap<>();

  FunctionTable(ClassDesc self) {
    this.self = self;
  }

  /** Calls the scalar method of {@code function}; its arguments are on the stack. */
  void call(CodeBuilder code, Function function) {
    code.invokestatic(self, method(function), descriptor(function));
  }

  /** Returns the name of the scalar method; the first use of a function adds it to the table. */
  String method(Function function) {
    int k = functions.indexOf(function);
    if (k < 0) {
      k = functions.size();
      functions.add(function);
    }
    return "function" + k;
  }

  /**
   * Calls the method that runs {@code function} lane by lane; its area and lanes are on the stack.
   */
  void callLanes(CodeBuilder code, Function function) {
    String method = method(function);
    byLanes.add(function);
    code.invokestatic(self, method + LANES, LaneCalls.DESCRIPTOR);
  }

  /** Calls the vector method of {@code function}; its area and lanes are on the stack. */
  void callVector(CodeBuilder code, Function function, int lanes) {
    String method = method(function);
    Set<Integer> known = byVector.computeIfAbsent(function, _ -> new LinkedHashSet<>());
    known.add(lanes);
    code.invokestatic(self, method + VECTOR + lanes, LaneCalls.DESCRIPTOR);
  }

  /** Adds the methods to the class; writing one may add more, as functions call functions. */
  void define(ClassBuilder builder) {
    for (int k = 0; k < functions.size(); k++) {
      Function function = functions.get(k);
      String name = method(function);
      builder.withMethodBody(
          name, descriptor(function), ACC_STATIC, code -> FunctionCode.write(code, function, this));
      for (int lanes : byVector.getOrDefault(function, Set.of())) {
        builder.withMethodBody(
            name + VECTOR + lanes,
            LaneCalls.DESCRIPTOR,
            ACC_STATIC,
            code -> VectorFunctionCode.write(code, function, this, lanes));
      }
      if (byLanes.contains(function)) {
        builder.withMethodBody(
            name + LANES,
            LaneCalls.DESCRIPTOR,
            ACC_STATIC,
            code -> LaneCalls.write(code, function, this));
      }
    }
  }

  static MethodTypeDesc descriptor(Function function) {
    return MethodTypeDesc.of(
        Descriptors.primitive(function.result()),
        function.parameters().stream().map(Descriptors::primitive).toList());
  }
}
