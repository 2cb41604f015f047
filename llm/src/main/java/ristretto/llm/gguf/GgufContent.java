package ristretto.llm.gguf;

import java.util.Map;

/** Content of a GGUF file. */
record GgufContent(Map<String, Object> metadata, Map<String, GgufTensor> tensors) {}
