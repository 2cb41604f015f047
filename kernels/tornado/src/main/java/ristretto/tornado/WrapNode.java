package ristretto.tornado;

import jdk.graal.compiler.core.common.LIRKind;
import jdk.graal.compiler.core.common.type.StampFactory;
import jdk.graal.compiler.graph.NodeClass;
import jdk.graal.compiler.lir.gen.ArithmeticLIRGeneratorTool;
import jdk.graal.compiler.nodeinfo.NodeInfo;
import jdk.graal.compiler.nodes.NodeView;
import jdk.graal.compiler.nodes.ValueNode;
import jdk.graal.compiler.nodes.calc.FloatingNode;
import jdk.graal.compiler.nodes.spi.ArithmeticLIRLowerable;
import jdk.graal.compiler.nodes.spi.NodeLIRBuilderTool;
import jdk.vm.ci.meta.JavaKind;
import jdk.vm.ci.meta.Value;
import uk.ac.manchester.tornado.drivers.opencl.graal.asm.OCLAssembler.OCLBinaryOp;
import uk.ac.manchester.tornado.drivers.opencl.graal.lir.OCLArithmeticTool;
import uk.ac.manchester.tornado.drivers.opencl.graal.lir.OCLKind;

/** Integer arithmetic with wraparound, computed in OpenCL C on unsigned integers. */
@NodeInfo(nameTemplate = "Wrap#{p#operation}")
public final class WrapNode extends FloatingNode implements ArithmeticLIRLowerable {
  /** Node class, which the Graal compiler finds by reflection. */
  public static final NodeClass<WrapNode> TYPE = NodeClass.create(WrapNode.class);

  private final String operation;

  @Input ValueNode x;

  @Input ValueNode y;

  /**
   * Creates an operation.
   *
   * @param operation add, sub or mul
   */
  WrapNode(String operation, JavaKind result, ValueNode x, ValueNode y) {
    super(TYPE, StampFactory.forKind(result));
    this.operation = operation;
    this.x = x;
    this.y = y;
  }

  @Override
  public void generate(NodeLIRBuilderTool builder, ArithmeticLIRGeneratorTool generator) {
    var tool = (OCLArithmeticTool) generator;
    LIRKind kind = builder.getLIRGeneratorTool().getLIRKind(stamp(NodeView.DEFAULT));
    boolean wide = getStackKind() == JavaKind.Long;
    LIRKind unsigned = LIRKind.value(wide ? OCLKind.ULONG : OCLKind.UINT);
    CallNode.Unary cast = new CallNode.Unary(wide ? "as_ulong" : "as_uint");
    Value a = tool.emitUnaryAssign(cast, unsigned, builder.operand(x));
    Value b = tool.emitUnaryAssign(cast, unsigned, builder.operand(y));
    OCLBinaryOp op =
        switch (operation) {
          case "add" -> OCLBinaryOp.ADD;
          case "sub" -> OCLBinaryOp.SUB;
          default -> OCLBinaryOp.MUL;
        };
    Value result = tool.emitBinaryAssign(op, unsigned, a, b);
    builder.setResult(
        this, tool.emitUnaryAssign(new CallNode.Unary(wide ? "as_long" : "as_int"), kind, result));
  }
}
