# Messages on standard error, and exit codes: 2 for wrong usage, 1 for every other failure.

say() {
  printf 'ristretto: %s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

wrong_usage() {
  say "$*"
  if [[ -n ${help_for:-} ]]; then
    say "'./ristretto $help_for --help' explains the command."
  else
    say "'./ristretto --help' lists the commands."
  fi
  exit 2
}

# Files and folders that are deleted if this process ends, or is interrupted, before it starts the
# JVM.
temporary=()
trap '[[ ${#temporary[@]} -eq 0 ]] || rm -rf "${temporary[@]}"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# utf8_names: selects UTF-8 in a locale whose encoding is ASCII, such as C, since the JVM decodes
# file names and arguments by the locale's encoding.
utf8_names() {
  local letter=$'\303\274'
  [[ ${#letter} -gt 1 && $(locale charmap 2>/dev/null) == ANSI_X3.4-1968 ]] || return 0
  { export LC_CTYPE=C.UTF-8 ${LC_ALL:+LC_ALL=C.UTF-8}; } 2>/dev/null
}

# did_you_mean WORD CANDIDATE...: prints "; did you mean 'X'?" for the candidate of the smallest
# edit distance, if that is at most half of the word's length, or if the candidate begins with the
# word.
did_you_mean() {
  local word=$1
  shift
  printf '%s\n' "$@" | awk -v word="$word" '
    function least(a, b, c) { a = a < b ? a : b; return a < c ? a : c }
    function distance(s, t,    i, j, m, n, d) {
      m = length(s); n = length(t)
      for (i = 0; i <= m; i++) d[i, 0] = i
      for (j = 0; j <= n; j++) d[0, j] = j
      for (i = 1; i <= m; i++)
        for (j = 1; j <= n; j++) {
          d[i, j] = least(d[i-1, j] + 1, d[i, j-1] + 1,
              d[i-1, j-1] + (substr(s, i, 1) != substr(t, j, 1)))
          if (i > 1 && j > 1 && substr(s, i - 1, 2) == substr(t, j, 1) substr(t, j - 1, 1))
            d[i, j] = least(d[i, j], d[i-2, j-2] + 1, m + n)
        }
      return d[m, n]
    }
    BEGIN { best = 1 + int(length(word) / 2) }
    {
      far = index($0, word) == 1 ? 0.5 : distance(tolower(word), tolower($0))
      if (length(word) > 0 && far < best) { best = far; nearest = $0 }
    }
    END { if (nearest != "") printf "; did you mean \047%s\047?", nearest }'
}
