package ristretto.notebook;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import ristretto.expr.Plan;
import ristretto.expr.Tensor;
import ristretto.expr.type.U8;
import ristretto.plot.Figure;

/** Shows values as text, and tensors, plots and plans as tables and pictures too. */
final class Display {
  private static final int SMALLEST_IMAGE = 8;
  private static final String PNG = "image/png";

  private Display() {}

  static DisplayData of(Object value) {
    var data = new DisplayData(String.valueOf(value));
    switch (value) {
      case Tensor<?> x when isImage(x) -> data.putData(PNG, image(x));
      case Tensor<?> x -> data.putHTML(TensorTable.html(x));
      case Figure figure -> {
        data.putText("plot");
        data.putData(PNG, png(figure::save));
      }
      case Plan plan -> data.putHTML(html(plan));
      default -> {}
    }
    return data;
  }

  private static boolean isImage(Tensor<?> x) {
    return x.dtype() instanceof U8
        && x.shape().rank() == 3
        && x.shape().dim(0) >= SMALLEST_IMAGE
        && x.shape().dim(1) >= SMALLEST_IMAGE
        && (x.shape().dim(2) == 1 || x.shape().dim(2) == 3 || x.shape().dim(2) == 4);
  }

  private static String image(Tensor<?> x) {
    int height = (int) x.shape().dim(0);
    int width = (int) x.shape().dim(1);
    int channels = (int) x.shape().dim(2);
    byte[] values = x.toByteArray();
    var picture = new BufferedImage(width, height, BufferedImage.TYPE_INT_ARGB);
    for (int k = 0; k < width * height; k++) {
      int at = k * channels;
      int red = values[at] & 0xFF;
      int green = channels == 1 ? red : values[at + 1] & 0xFF;
      int blue = channels == 1 ? red : values[at + 2] & 0xFF;
      int alpha = channels == 4 ? values[at + 3] & 0xFF : 0xFF;
      picture.setRGB(k % width, k / width, alpha << 24 | red << 16 | green << 8 | blue);
    }
    var bytes = new ByteArrayOutputStream();
    try {
      ImageIO.write(picture, "png", bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private static String png(Consumer<Path> writer) {
    try {
      Path file = Files.createTempFile("ristretto", ".png");
      try {
        writer.accept(file);
        return Base64.getEncoder().encodeToString(Files.readAllBytes(file));
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String html(Plan plan) {
    // An image of its own keeps the picture's styles apart from the page's.
    String picture =
        Base64.getEncoder().encodeToString(PlanPicture.svg(plan).getBytes(StandardCharsets.UTF_8));
    return "<img alt=\"plan\" src=\"data:image/svg+xml;base64,"
        + picture
        + "\"><pre>"
        + TensorTable.escaped(plan.toString())
        + "</pre>";
  }
}
