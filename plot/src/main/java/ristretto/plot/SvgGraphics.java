package ristretto.plot;

import java.awt.AlphaComposite;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Composite;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.GraphicsConfiguration;
import java.awt.Image;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.font.FontRenderContext;
import java.awt.font.GlyphVector;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.awt.geom.Arc2D;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.PathIterator;
import java.awt.geom.RoundRectangle2D;
import java.awt.image.BufferedImage;
import java.awt.image.BufferedImageOp;
import java.awt.image.ImageObserver;
import java.awt.image.RenderedImage;
import java.awt.image.renderable.RenderableImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.text.AttributedCharacterIterator;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * Graphics that write SVG: shapes as paths in coordinates of the picture, texts as outlines, images
 * as embedded PNG. The state (colour, transform, clip, font) is that of graphics of an image.
 */
final class SvgGraphics extends Graphics2D {
  private final Graphics2D state;
  private final StringBuilder out;

  /** Number of clips written; shared with copies. */
  private final int[] clips;

  SvgGraphics() {
    this(
        new BufferedImage(1, 1, BufferedImage.TYPE_INT_ARGB).createGraphics(),
        new StringBuilder(),
        new int[1]);
    // Graphics of an image begin without a clip.
    state.setClip(null);
    state.setColor(Color.BLACK);
  }

  private SvgGraphics(Graphics2D state, StringBuilder out, int[] clips) {
    this.state = state;
    this.out = out;
    this.clips = clips;
  }

  String document(int width, int height) {
    return String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d"
                + " %d\">\n",
            width,
            height,
            width,
            height)
        + out
        + "</svg>\n";
  }

  // Elements

  private String paint(String attribute) {
    Color c = getColor();
    double alpha = c.getAlpha() / 255.0;
    if (state.getComposite() instanceof AlphaComposite a) {
      alpha *= a.getAlpha();
    }
    String text = String.format(Locale.ROOT, " %s=\"#%06x\"", attribute, c.getRGB() & 0xffffff);
    return alpha >= 1
        ? text
        : text + String.format(Locale.ROOT, " %s-opacity=\"%.3f\"", attribute, alpha);
  }

  private void element(String text) {
    Shape clip = state.getClip();
    if (clip == null) {
      out.append(text).append('\n');
      return;
    }
    String id = "c" + clips[0]++;
    out.append("<clipPath id=\"").append(id).append("\"><path d=\"");
    out.append(path(getTransform().createTransformedShape(clip))).append("\"/></clipPath>\n");
    out.append("<g clip-path=\"url(#").append(id).append(")\">").append(text).append("</g>\n");
  }

  private static String path(Shape shape) {
    var d = new StringBuilder();
    double[] p = new double[6];
    for (PathIterator i = shape.getPathIterator(null); !i.isDone(); i.next()) {
      int kind = i.currentSegment(p);
      int numbers =
          switch (kind) {
            case PathIterator.SEG_MOVETO, PathIterator.SEG_LINETO -> 2;
            case PathIterator.SEG_QUADTO -> 4;
            case PathIterator.SEG_CUBICTO -> 6;
            default -> 0;
          };
      d.append("MLQCZ".charAt(kind));
      for (int k = 0; k < numbers; k++) {
        d.append(k == 0 ? "" : " ").append(number(p[k]));
      }
    }
    return d.toString();
  }

  /** Number with two decimals, without zeros at the end. */
  private static String number(double v) {
    double rounded = Math.rint(v * 100) / 100;
    return rounded == (long) rounded ? Long.toString((long) rounded) : Double.toString(rounded);
  }

  @Override
  public void draw(Shape s) {
    String d = path(getTransform().createTransformedShape(s));
    var style = new StringBuilder();
    if (getStroke() instanceof BasicStroke b) {
      style.append(" stroke-width=\"").append(number(b.getLineWidth())).append('"');
      if (b.getEndCap() != BasicStroke.CAP_BUTT) {
        style
            .append(" stroke-linecap=\"")
            .append(b.getEndCap() == BasicStroke.CAP_ROUND ? "round" : "square")
            .append('"');
      }
      if (b.getLineJoin() != BasicStroke.JOIN_MITER) {
        style
            .append(" stroke-linejoin=\"")
            .append(b.getLineJoin() == BasicStroke.JOIN_ROUND ? "round" : "bevel")
            .append('"');
      }
      if (b.getDashArray() != null) {
        style.append(" stroke-dasharray=\"");
        for (float dash : b.getDashArray()) {
          style.append(number(dash)).append(' ');
        }
        style.append('"');
      }
      if (b.getLineWidth() == 0) {
        return;
      }
    }
    if (!d.isEmpty()) {
      element("<path d=\"" + d + "\" fill=\"none\"" + paint("stroke") + style + "/>");
    }
  }

  @Override
  public void fill(Shape s) {
    String d = path(getTransform().createTransformedShape(s));
    if (!d.isEmpty()) {
      element("<path d=\"" + d + "\"" + paint("fill") + "/>");
    }
  }

  @Override
  public void drawString(String text, float x, float y) {
    if (!text.isEmpty()) {
      fill(
          new TextLayout(text, getFont(), getFontRenderContext())
              .getOutline(AffineTransform.getTranslateInstance(x, y)));
    }
  }

  @Override
  public boolean drawImage(Image image, int x, int y, int w, int h, ImageObserver observer) {
    var bytes = new ByteArrayOutputStream();
    try (var to = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write((RenderedImage) image, "png", to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    AffineTransform t = getTransform();
    element(
        String.format(
            Locale.ROOT,
            "<image x=\"%s\" y=\"%s\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\""
                + " style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>",
            number(x + t.getTranslateX()),
            number(y + t.getTranslateY()),
            w,
            h,
            Base64.getEncoder().encodeToString(bytes.toByteArray())));
    return true;
  }

  // Shapes of the old interface

  @Override
  public void drawLine(int x1, int y1, int x2, int y2) {
    draw(new Line2D.Double(x1, y1, x2, y2));
  }

  @Override
  public void fillRect(int x, int y, int w, int h) {
    fill(new Rectangle(x, y, w, h));
  }

  @Override
  public void clearRect(int x, int y, int w, int h) {
    Paint before = getPaint();
    setPaint(getBackground());
    fillRect(x, y, w, h);
    setPaint(before);
  }

  @Override
  public void drawRoundRect(int x, int y, int w, int h, int arcWidth, int arcHeight) {
    draw(new RoundRectangle2D.Double(x, y, w, h, arcWidth, arcHeight));
  }

  @Override
  public void fillRoundRect(int x, int y, int w, int h, int arcWidth, int arcHeight) {
    fill(new RoundRectangle2D.Double(x, y, w, h, arcWidth, arcHeight));
  }

  @Override
  public void drawOval(int x, int y, int w, int h) {
    draw(new Ellipse2D.Double(x, y, w, h));
  }

  @Override
  public void fillOval(int x, int y, int w, int h) {
    fill(new Ellipse2D.Double(x, y, w, h));
  }

  @Override
  public void drawArc(int x, int y, int w, int h, int start, int angle) {
    draw(new Arc2D.Double(x, y, w, h, start, angle, Arc2D.OPEN));
  }

  @Override
  public void fillArc(int x, int y, int w, int h, int start, int angle) {
    fill(new Arc2D.Double(x, y, w, h, start, angle, Arc2D.PIE));
  }

  private static Path2D polygon(int[] x, int[] y, int n, boolean closed) {
    var path = new Path2D.Double();
    for (int k = 0; k < n; k++) {
      if (k == 0) {
        path.moveTo(x[k], y[k]);
      } else {
        path.lineTo(x[k], y[k]);
      }
    }
    if (closed && n > 0) {
      path.closePath();
    }
    return path;
  }

  @Override
  public void drawPolyline(int[] x, int[] y, int n) {
    draw(polygon(x, y, n, false));
  }

  @Override
  public void drawPolygon(int[] x, int[] y, int n) {
    draw(polygon(x, y, n, true));
  }

  @Override
  public void fillPolygon(int[] x, int[] y, int n) {
    fill(polygon(x, y, n, true));
  }

  @Override
  public void drawString(String text, int x, int y) {
    drawString(text, (float) x, (float) y);
  }

  @Override
  public void drawString(AttributedCharacterIterator text, int x, int y) {
    drawString(text, (float) x, (float) y);
  }

  @Override
  public void drawString(AttributedCharacterIterator text, float x, float y) {
    fill(
        new TextLayout(text, getFontRenderContext())
            .getOutline(AffineTransform.getTranslateInstance(x, y)));
  }

  @Override
  public void drawGlyphVector(GlyphVector glyphs, float x, float y) {
    fill(glyphs.getOutline(x, y));
  }

  @Override
  public boolean drawImage(Image image, int x, int y, ImageObserver observer) {
    return drawImage(image, x, y, image.getWidth(observer), image.getHeight(observer), observer);
  }

  @Override
  public boolean drawImage(Image image, int x, int y, Color background, ImageObserver observer) {
    return drawImage(image, x, y, observer);
  }

  @Override
  public boolean drawImage(
      Image image, int x, int y, int w, int h, Color background, ImageObserver observer) {
    return drawImage(image, x, y, w, h, observer);
  }

  @Override
  public boolean drawImage(
      Image image,
      int x1,
      int y1,
      int x2,
      int y2,
      int fromX1,
      int fromY1,
      int fromX2,
      int fromY2,
      ImageObserver observer) {
    Image part =
        ((BufferedImage) image).getSubimage(fromX1, fromY1, fromX2 - fromX1, fromY2 - fromY1);
    return drawImage(part, x1, y1, x2 - x1, y2 - y1, observer);
  }

  @Override
  public boolean drawImage(
      Image image,
      int x1,
      int y1,
      int x2,
      int y2,
      int fromX1,
      int fromY1,
      int fromX2,
      int fromY2,
      Color background,
      ImageObserver observer) {
    return drawImage(image, x1, y1, x2, y2, fromX1, fromY1, fromX2, fromY2, observer);
  }

  @Override
  public boolean drawImage(Image image, AffineTransform t, ImageObserver observer) {
    AffineTransform before = getTransform();
    transform(t);
    boolean done = drawImage(image, 0, 0, observer);
    setTransform(before);
    return done;
  }

  @Override
  public void drawImage(BufferedImage image, BufferedImageOp op, int x, int y) {
    drawImage(op == null ? image : op.filter(image, null), x, y, null);
  }

  @Override
  public void drawRenderedImage(RenderedImage image, AffineTransform t) {
    drawImage((BufferedImage) image, t, null);
  }

  @Override
  public void drawRenderableImage(RenderableImage image, AffineTransform t) {
    drawRenderedImage(image.createDefaultRendering(), t);
  }

  @Override
  public void copyArea(int x, int y, int w, int h, int dx, int dy) {
    throw new IllegalStateException("SVG has no pixels to copy");
  }

  // State

  @Override
  public Graphics create() {
    return new SvgGraphics((Graphics2D) state.create(), out, clips);
  }

  @Override
  public void dispose() {
    state.dispose();
  }

  @Override
  public boolean hit(Rectangle rectangle, Shape s, boolean onStroke) {
    return state.hit(rectangle, s, onStroke);
  }

  @Override
  public GraphicsConfiguration getDeviceConfiguration() {
    return state.getDeviceConfiguration();
  }

  @Override
  public Color getColor() {
    return state.getColor();
  }

  @Override
  public void setColor(Color c) {
    state.setColor(c);
  }

  @Override
  public void setPaintMode() {
    state.setPaintMode();
  }

  @Override
  public void setXORMode(Color c) {
    throw new IllegalStateException("SVG has no exclusive or");
  }

  @Override
  public Font getFont() {
    return state.getFont();
  }

  @Override
  public void setFont(Font font) {
    state.setFont(font);
  }

  @Override
  public FontMetrics getFontMetrics(Font font) {
    return state.getFontMetrics(font);
  }

  @Override
  public FontRenderContext getFontRenderContext() {
    return new FontRenderContext(null, true, true);
  }

  @Override
  public Rectangle getClipBounds() {
    return state.getClipBounds();
  }

  @Override
  public void clipRect(int x, int y, int w, int h) {
    clip(new Rectangle(x, y, w, h));
  }

  @Override
  public void setClip(int x, int y, int w, int h) {
    setClip(new Rectangle(x, y, w, h));
  }

  @Override
  public Shape getClip() {
    return state.getClip();
  }

  @Override
  public void setClip(Shape clip) {
    state.setClip(clip);
  }

  @Override
  public void clip(Shape s) {
    state.clip(s);
  }

  @Override
  public void setComposite(Composite c) {
    state.setComposite(c);
  }

  @Override
  public Composite getComposite() {
    return state.getComposite();
  }

  @Override
  public void setPaint(Paint paint) {
    state.setPaint(paint);
  }

  @Override
  public Paint getPaint() {
    return state.getPaint();
  }

  @Override
  public void setStroke(Stroke s) {
    state.setStroke(s);
  }

  @Override
  public Stroke getStroke() {
    return state.getStroke();
  }

  @Override
  public void setBackground(Color c) {
    state.setBackground(c);
  }

  @Override
  public Color getBackground() {
    return state.getBackground();
  }

  @Override
  public void setRenderingHint(RenderingHints.Key key, Object value) {
    state.setRenderingHint(key, value);
  }

  @Override
  public Object getRenderingHint(RenderingHints.Key key) {
    return state.getRenderingHint(key);
  }

  @Override
  public void setRenderingHints(Map<?, ?> hints) {
    state.setRenderingHints(hints);
  }

  @Override
  public void addRenderingHints(Map<?, ?> hints) {
    state.addRenderingHints(hints);
  }

  @Override
  public RenderingHints getRenderingHints() {
    return state.getRenderingHints();
  }

  @Override
  public void translate(int x, int y) {
    state.translate(x, y);
  }

  @Override
  public void translate(double x, double y) {
    state.translate(x, y);
  }

  @Override
  public void rotate(double angle) {
    state.rotate(angle);
  }

  @Override
  public void rotate(double angle, double x, double y) {
    state.rotate(angle, x, y);
  }

  @Override
  public void scale(double x, double y) {
    state.scale(x, y);
  }

  @Override
  public void shear(double x, double y) {
    state.shear(x, y);
  }

  @Override
  public void transform(AffineTransform t) {
    state.transform(t);
  }

  @Override
  public void setTransform(AffineTransform t) {
    state.setTransform(t);
  }

  @Override
  public AffineTransform getTransform() {
    return state.getTransform();
  }
}
