/** A command line that the page prints; it runs nothing. */
export interface PrintedCommand {
  readonly label: string;
  readonly command: string;
}

/** A word of a command line for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * What can be done with a record.
 * @param file its name, without folders.
 */
export function commandsFor(file: string): readonly PrintedCommand[] {
  const run = shellWord(file);
  const page = shellWord(`${file.replace(/\.[a-z]+$/i, '')}.html`);
  return [
    { label: 'Replay', command: `wink replay ${run}` },
    { label: 'Save as a page', command: `wink view ${run} --out ${page}` },
    { label: 'Record another run', command: `wink run AGENT --record ${shellWord(`next-${file}`)}` },
  ];
}
