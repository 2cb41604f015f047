package ristretto.tornado;

import jdk.graal.compiler.core.common.LIRKind;
import jdk.graal.compiler.core.common.type.StampFactory;
import jdk.graal.compiler.graph.NodeClass;
import jdk.graal.compiler.graph.NodeInputList;
import jdk.graal.compiler.lir.gen.ArithmeticLIRGeneratorTool;
import jdk.graal.compiler.nodeinfo.NodeInfo;
import jdk.graal.compiler.nodes.NodeView;
import jdk.graal.compiler.nodes.ValueNode;
import jdk.graal.compiler.nodes.calc.FloatingNode;
import jdk.graal.compiler.nodes.spi.ArithmeticLIRLowerable;
import jdk.graal.compiler.nodes.spi.NodeLIRBuilderTool;
import jdk.vm.ci.meta.JavaKind;
import jdk.vm.ci.meta.Value;
import uk.ac.manchester.tornado.drivers.opencl.graal.asm.OCLAssembler;
import uk.ac.manchester.tornado.drivers.opencl.graal.lir.OCLArithmeticTool;

/** Call of an OpenCL C function for which TornadoVM has no node. */
@NodeInfo(nameTemplate = "Call#{p#name}")
public final class CallNode extends FloatingNode implements ArithmeticLIRLowerable {
  /** Node class, which the Graal compiler finds by reflection. */
  public static final NodeClass<CallNode> TYPE = NodeClass.create(CallNode.class);

  private final String name;

  @Input NodeInputList<ValueNode> values;

  CallNode(String name, JavaKind result, ValueNode... values) {
    super(TYPE, StampFactory.forKind(result));
    this.name = name;
    this.values = new NodeInputList<>(this, values);
  }

  static final class Unary extends OCLAssembler.OCLUnaryIntrinsic {
    Unary(String name) {
      super(name);
    }
  }

  private static final class Binary extends OCLAssembler.OCLBinaryIntrinsic {
    Binary(String name) {
      super(name);
    }
  }

  @Override
  public void generate(NodeLIRBuilderTool builder, ArithmeticLIRGeneratorTool generator) {
    var tool = (OCLArithmeticTool) generator;
    LIRKind kind = builder.getLIRGeneratorTool().getLIRKind(stamp(NodeView.DEFAULT));
    Value[] v = values.stream().map(builder::operand).toArray(Value[]::new);
    builder.setResult(
        this,
        switch (v.length) {
          case 1 -> tool.emitUnaryAssign(new Unary(name), kind, v[0]);
          case 2 -> tool.emitBinaryAssign(new Binary(name), kind, v[0], v[1]);
          default -> tool.emitFMAInstruction(v[0], v[1], v[2]);
        });
  }
}
