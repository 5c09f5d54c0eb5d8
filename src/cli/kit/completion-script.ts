/** The flag with which completion scripts request replies: `--complete WORD..`. */
export const COMPLETE = '--complete';

/**
 * Bash splits words at `:` and `@`, which stand in references. So the line is split at blanks, and
 * what is before the word of bash is removed from replies. `compgen -W` would run command
 * substitutions in them.
 */
const BASH = `# bash: eval "$(xpkg-resolve completion bash)"
_xpkg_resolve() {
  local line=\${COMP_LINE:0:COMP_POINT} words IFS=$' \\t\\n'
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local word=\${words[\${#words[@]}-1]} meant=\${COMP_WORDS[COMP_CWORD]}
  case $meant in :|@|=) meant= ;; esac
  local before=\${word%"$meant"}
  local reply
  COMPREPLY=()
  while IFS= read -r reply; do
    COMPREPLY+=("\${reply#"$before"}")
  done < <(xpkg-resolve ${COMPLETE} "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _xpkg_resolve xpkg-resolve
`;

const ZSH = `#compdef xpkg-resolve
# zsh: source <(xpkg-resolve completion zsh)
_xpkg_resolve() {
  local -a replies
  replies=("\${(@f)$(xpkg-resolve ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n \${replies[1]} ]]; then compadd -- "\${replies[@]}"; else _files; fi
}
compdef _xpkg_resolve xpkg-resolve
`;

const FISH = `# fish: xpkg-resolve completion fish | source
function __xpkg_resolve
  set -l words (commandline -opc) (commandline -ct)
  xpkg-resolve ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c xpkg-resolve -a '(__xpkg_resolve)'
`;

/** Completion scripts by name of the shell. */
export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
