package ristretto.llm.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.llm.token.Tokenizer;
import ristretto.llm.token.Tokenizer.Part;

/**
 * Text forms of conversations that models were trained with. Files contain them as programs in
 * Jinja, which are not run: the form is recognized by its marks. Marks in the texts of messages are
 * ordinary text.
 */
public enum ChatFormat {
  /** {@code <|im_start|>user ... <|im_end|>}: Qwen, SmolLM and many others. */
  CHATML("<|im_start|>") {
    @Override
    void write(Writer to, List<Message> all) {
      for (Message m : all) {
        to.mark("<|im_start|>" + role(m) + "\n").text(m.text()).mark("<|im_end|>\n");
      }
      to.mark("<|im_start|>assistant\n");
    }
  },
  /** {@code <|start_header_id|>user<|end_header_id|> ... <|eot_id|>}: Llama 3. */
  LLAMA_3("<|start_header_id|>") {
    @Override
    void write(Writer to, List<Message> all) {
      for (Message m : all) {
        to.mark("<|start_header_id|>" + role(m) + "<|end_header_id|>\n\n")
            .text(m.text().strip())
            .mark("<|eot_id|>");
      }
      to.mark("<|start_header_id|>assistant<|end_header_id|>\n\n");
    }
  },
  /** {@code <|user|> ... <|end|>}: Phi 3. */
  PHI_3("<|end|>") {
    @Override
    void write(Writer to, List<Message> all) {
      turns(to, all, "<|end|>\n");
    }
  },
  /** {@code <|user|> ... </s>}: Zephyr, TinyLlama. */
  ZEPHYR("<|user|>") {
    @Override
    void write(Writer to, List<Message> all) {
      turns(to, all, "</s>\n");
    }
  },
  /** {@code [INST] <<SYS>> ... [/INST]}: Llama 2. */
  LLAMA_2("<<SYS>>") {
    @Override
    void write(Writer to, List<Message> all) {
      instructions(to, all, "<<SYS>>\n", "\n<</SYS>>\n\n");
    }
  },
  /** {@code [INST] ... [/INST]}: Mistral. */
  MISTRAL("[INST]") {
    @Override
    void write(Writer to, List<Message> all) {
      instructions(to, all, "", "\n\n");
    }
  },
  /** The texts of the messages, for models that were not trained with conversations. */
  PLAIN("") {
    @Override
    void write(Writer to, List<Message> all) {
      for (int k = 0; k < all.size(); k++) {
        to.text((k == 0 ? "" : "\n") + all.get(k).text());
      }
    }
  };

  private final String mark;

  ChatFormat(String mark) {
    this.mark = mark;
  }

  /** Parts of a text under construction. */
  static final class Writer {
    private final List<Part> parts = new ArrayList<>();

    Writer mark(String text) {
      parts.add(new Part(text, true));
      return this;
    }

    Writer text(String text) {
      parts.add(new Part(text, false));
      return this;
    }
  }

  /** Form of a template in Jinja; {@link #PLAIN} if it is none of those above. */
  public static ChatFormat of(String template) {
    for (ChatFormat format : values()) {
      if (template.contains(format.mark) && format != PLAIN) {
        return format;
      }
    }
    return PLAIN;
  }

  /** Tokens of a conversation, up to the begin of the next message of the model. */
  public List<Integer> tokens(Tokenizer tokenizer, List<Message> messages) {
    var writer = new Writer();
    write(writer, messages);
    return tokenizer.prompt(writer.parts);
  }

  abstract void write(Writer to, List<Message> all);

  private static String role(Message m) {
    return m.role().name().toLowerCase(Locale.ROOT);
  }

  private static void turns(Writer to, List<Message> all, String end) {
    for (Message m : all) {
      to.mark("<|" + role(m) + "|>\n").text(m.text()).mark(end);
    }
    to.mark("<|assistant|>\n");
  }

  /** Instructions; the operator's message stands at the begin of the next one. */
  private static void instructions(Writer to, List<Message> all, String before, String after) {
    String system = null;
    boolean first = true;
    for (Message m : all) {
      switch (m.role()) {
        case SYSTEM -> system = m.text().strip();
        case USER -> {
          to.mark(first ? "[INST] " : "<s>[INST] ");
          if (system != null) {
            to.mark(before).text(system).mark(after);
            system = null;
          }
          to.text(m.text().strip()).mark(" [/INST]");
          first = false;
        }
        case ASSISTANT -> to.text(" " + m.text().strip()).mark(" </s>");
      }
    }
  }
}
