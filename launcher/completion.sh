# Completes commands, options and scripts in bash and zsh.

# completion: prints code that a shell runs to complete commands.
completion() {
  printf '_ristretto_help=%q\n' "$home/launcher/help"
  cat <<'END'
# Pages for `man ristretto`, beside those of the system.
case :${MANPATH:-}: in
  *:"${_ristretto_help%/help}/man":*) ;;
  *) export MANPATH="${_ristretto_help%/help}/man:${MANPATH:-}" ;;
esac
if [ -n "${ZSH_VERSION:-}" ]; then
  autoload -U +X compinit && compinit -i
  autoload -U +X bashcompinit && bashcompinit
fi

_ristretto() {
  local word=${COMP_WORDS[COMP_CWORD]} first=1 command options
  [[ ${COMP_WORDS[1]} != --tornado ]] || first=2
  # Readline splits words at =, so that the value after an option is a file.
  COMPREPLY=()
  [[ $word != = && ${COMP_WORDS[COMP_CWORD - 1]} != = ]] || return 0
  if ((COMP_CWORD <= first)); then
    options="$(cut -d ' ' -f 1 "$_ristretto_help/words") --help --version --tornado"
  else
    command=${COMP_WORDS[first]}
    options=$(sed -n "s/^$command //p" "$_ristretto_help/words")
    [[ $command != help ]] || options=$(cut -d ' ' -f 1 "$_ristretto_help/words")
    options="$options --help"
  fi
  # Without compopt, a space would follow the sign.
  [[ -z ${ZSH_VERSION:-} ]] || options=${options//=/}
  while read -r option; do
    COMPREPLY+=("$option")
  done < <(compgen -W "$options" -- "$word")
  [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
# Without a match, the shell completes names of files.
complete -o default -F _ristretto ristretto
END
}
