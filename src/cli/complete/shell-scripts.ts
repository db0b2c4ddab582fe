import type { CompleteRequest } from '../commands/complete.ts';

type Shell = Extract<CompleteRequest, { readonly action: 'script' }>['shell'];

/** What each shell reads to complete `wink`. The line goes to the command as one argument: no shell evaluates it. No blank follows a word that continues, such as `openai:`. */
export const shellScripts: Readonly<Record<Shell, string>> = {
  // Works with bash 3.2, which cannot leave out the blank after `openai:`.
  bash: `_wink() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(wink complete --line "$COMP_LINE" "$COMP_POINT" 2>/dev/null)
  case "\${COMPREPLY[*]}" in *:) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _wink wink
`,
  zsh: `_wink() {
  local line word
  local -a found
  line="\${(j: :)words[1,CURRENT-1]} $PREFIX"
  while IFS= read -r word; do found+=("$word"); done < <(wink complete --whole --line "$line" "\${#line}" 2>/dev/null)
  if (( \${#found} )); then
    compadd -S '' -- \${(M)found:#*:}
    compadd -- \${found:#*:}
  else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _wink wink
`,
  fish: `function __wink_complete
    set -l line (commandline -cp)
    wink complete --whole --line "$line" (string length -- "$line") 2>/dev/null
end
complete -c wink -a '(__wink_complete)'
`,
};
