/** The common trace of a coding agent: what its model asks for in each turn, and what it reads of the results. */

/** The project that it works on. */
export const fileCount = 2_000;
/** With two to six calls each: 800 calls. */
export const turnCount = 200;
export const instructions = 'Tidy the project up: read, search and change its files until it is done.';
export const answerText: string = JSON.stringify({ state: 'done' });

export const toolNames = { read: 'read_file', write: 'write_file', search: 'search_files' } as const;

/** A call of the model, and a word that its result has when it is right. */
export interface TraceCall {
  readonly id: string;
  readonly name: (typeof toolNames)[keyof typeof toolNames];
  readonly arguments: Readonly<Record<string, string>>;
  readonly expected: string;
}

const foldersOf = 50;
const linesOf = 24;
const leastCalls = 2;
const kindsOfTurns = 5;

/** The files before the first turn, by path: of about a kilobyte each. */
export function projectFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, file) => [pathOf(file), contentOf(file)]));
}

/** What the files hold in the end that the turns have changed, by path. */
export function changedFiles(turns: number, files: number): Readonly<Record<string, string>> {
  const writes = Array.from({ length: turns }, (_, turn) => callsOf(turn, files)).flatMap((calls) =>
    calls.filter(({ name }) => name === toolNames.write),
  );
  return Object.fromEntries(writes.map(({ arguments: { path = '', text = '' } }) => [path, text] as const));
}

/** The calls of one turn: a file of the turn before is written, others are read, and some turns search a folder. */
export function callsOf(turn: number, files: number): readonly TraceCall[] {
  return Array.from({ length: countOf(turn) }, (_, index): TraceCall => {
    const id = `call_${turn}_${index}`;
    const file = fileOf(turn, index, files);
    if (index === 0 && turn > 0) {
      const written = fileOf(turn - 1, 1, files);
      const text = changedContent(written, turn);
      return { id, name: toolNames.write, arguments: { path: pathOf(written), text }, expected: 'Wrote' };
    }
    if (index === 3) {
      const text = nameIn(file, 0);
      return {
        id,
        name: toolNames.search,
        arguments: { folder: folderOf(file), text },
        expected: pathOf(file),
      };
    }
    if (index === 4 && turn > 1) {
      // What the turn before has written.
      const written = fileOf(turn - 2, 1, files);
      const expected = changeIn(turn - 1);
      return { id, name: toolNames.read, arguments: { path: pathOf(written) }, expected };
    }
    return {
      id,
      name: toolNames.read,
      arguments: { path: pathOf(file) },
      expected: nameIn(file, linesOf - 1),
    };
  });
}

/** How many calls the turns before this one have. */
export function callsBefore(turn: number): number {
  return Array.from({ length: turn }, (_, before) => countOf(before)).reduce((sum, count) => sum + count, 0);
}

function countOf(turn: number): number {
  return leastCalls + (turn % kindsOfTurns);
}

/** Every file comes once before one comes again, where there are enough of them. */
function fileOf(turn: number, index: number, files: number): number {
  return (turn * (leastCalls + kindsOfTurns) + index) % files;
}

function folderOf(file: number): string {
  return `src/part-${file % foldersOf}`;
}

function pathOf(file: number): string {
  return `${folderOf(file)}/file-${file}.ts`;
}

function contentOf(file: number): string {
  const lines = Array.from({ length: linesOf }, (_, line) => `export const ${nameIn(file, line)} = ${line};`);
  return `${lines.join('\n')}\n`;
}

function changedContent(file: number, turn: number): string {
  const lines = Array.from(
    { length: 5 },
    (_, line) => `export const ${nameIn(file, line)} = ${line + turn};`,
  );
  return `// ${changeIn(turn)}\n${lines.join('\n')}\n`;
}

function nameIn(file: number, line: number): string {
  return `value_${file}_${line}_end`;
}

function changeIn(turn: number): string {
  return `Changed in turn ${turn}.`;
}
