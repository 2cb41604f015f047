package ristretto.kernels.cpu.codegen;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Listing of the methods of a generated class, one instruction per line, for the debug ladder. */
final class CodeListing {
  private final StringBuilder text = new StringBuilder();
  private final Map<Label, String> labels = new HashMap<>();

  private CodeListing() {}

  static String of(byte[] classFile) {
    return new CodeListing().list(ClassFile.of().parse(classFile));
  }

  private String list(ClassModel model) {
    for (MethodModel method : model.methods()) {
      text.append(method.methodName().stringValue())
          .append(method.methodTypeSymbol().displayDescriptor())
          .append('\n');
      method.code().ifPresent(this::list);
    }
    return text.toString();
  }

  private void list(CodeModel code) {
    labels.clear();
    for (CodeElement element : code) {
      switch (element) {
        case LabelTarget target -> text.append(label(target.label())).append(":\n");
        case Instruction i -> text.append("  ").append(line(i)).append('\n');
        default -> {}
      }
    }
  }

  private String label(Label label) {
    return labels.computeIfAbsent(label, _ -> "L" + labels.size());
  }

  private String line(Instruction instruction) {
    String opcode = instruction.opcode().name().toLowerCase(Locale.ROOT);
    return switch (instruction) {
      case LoadInstruction i -> kind(opcode) + " " + i.slot();
      case StoreInstruction i -> kind(opcode) + " " + i.slot();
      case IncrementInstruction i -> opcode + " " + i.slot() + " " + i.constant();
      case ConstantInstruction i -> "const " + i.constantValue();
      case BranchInstruction i -> opcode + " " + label(i.target());
      case TableSwitchInstruction i -> opcode + cases(i.cases(), i.defaultTarget());
      case LookupSwitchInstruction i -> opcode + cases(i.cases(), i.defaultTarget());
      case FieldInstruction i ->
          opcode + " " + simple(i.owner().asSymbol()) + "." + i.name().stringValue();
      case InvokeInstruction i ->
          opcode
              + " "
              + simple(i.owner().asSymbol())
              + "."
              + i.name().stringValue()
              + i.typeSymbol().displayDescriptor();
      case TypeCheckInstruction i -> opcode + " " + simple(i.type().asSymbol());
      default -> opcode;
    };
  }

  /** Removes the slot number from the short form of an opcode. */
  private static String kind(String opcode) {
    int end = opcode.indexOf('_');
    return end < 0 ? opcode : opcode.substring(0, end);
  }

  private String cases(List<SwitchCase> cases, Label otherwise) {
    return cases.stream()
        .map(c -> " " + c.caseValue() + " " + label(c.target()) + ",")
        .collect(Collectors.joining("", "", " default " + label(otherwise)));
  }

  private static String simple(ClassDesc type) {
    return type.displayName();
  }
}
