/** The lines about shapes of vendors, by kind. A model may have the tools as they are instead: the lines say what holds where it has the shape. */
const lines: Readonly<Record<string, string>> = {
  'openai.shell':
    '`shell`, where you have it, is `shell_execute`: each command of a call is a call of its own, in a fresh shell at the root of the workspace. One that ends with an exit code other than 0 may leave no changes; the others of the call are not affected. Exit code 126 means that a command was not run, and its `stderr` says why.',
  'openai.apply_patch':
    '`apply_patch`, where you have it, changes files: one file a call, all of its changes or none. Each `@@` line must be a line of the file, and context must match it with its indentation. Read the file first: what a command prints does not count as reading it.',
  'anthropic.bash':
    '`bash`, where you have it, is `shell_execute`: each command runs in a fresh shell at the root of the workspace. The directory, variables and processes that it starts end with it, so set what it needs in the same command. There is nothing to restart.',
  'anthropic.text_editor':
    '`str_replace_based_edit_tool`, where you have it, is `read_file`, `write_file` and `edit_file`: `view` reads, `create` writes a whole file, `str_replace` and `insert` edit it. Paths are from the root of the workspace. There is no `undo_edit`.',
};

/** What a model has to know of the shapes that it may get tools in. @param kinds of provider tools. */
export function providerToolInstructions(kinds: readonly string[]): string {
  return kinds.flatMap((kind) => (lines[kind] === undefined ? [] : [`- ${lines[kind]}`])).join('\n');
}
