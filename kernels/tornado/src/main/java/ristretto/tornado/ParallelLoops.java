package ristretto.tornado;

import jdk.vm.ci.meta.ResolvedJavaMethod;
import ristretto.kernels.source.java.JavaDialect;
import uk.ac.manchester.tornado.runtime.ASMClassVisitorProvider;
import uk.ac.manchester.tornado.runtime.common.ParallelAnnotationProvider;

/**
 * Tells TornadoVM which loops of a method are annotated as parallel: none in rendered programs,
 * which have no class files to read; otherwise those that TornadoVM's own class finds. TornadoVM
 * instantiates this class by its name.
 */
public final class ParallelLoops implements ASMClassVisitorProvider {
  private static final String USUAL = "uk.ac.manchester.tornado.annotation.ASMClassVisitor";

  /** Creates a provider; called by TornadoVM. */
  public ParallelLoops() {}

  @Override
  public ParallelAnnotationProvider[] getParallelAnnotations(ResolvedJavaMethod method) {
    if (method.getDeclaringClass().toJavaName().equals(JavaDialect.CLASS)) {
      return new ParallelAnnotationProvider[0];
    }
    try {
      Class<?> usual = Class.forName(USUAL, true, ASMClassVisitorProvider.class.getClassLoader());
      return ((ASMClassVisitorProvider) usual.getConstructor().newInstance())
          .getParallelAnnotations(method);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
