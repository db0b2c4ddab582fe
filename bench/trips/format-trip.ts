import type { FunctionCalls } from './coverage.ts';

export interface CountedTrip {
  readonly name: string;
  readonly title: string;
  readonly functions: readonly FunctionCalls[];
}

/** The sums of a trip, of every room in it, and with `listed` every function with its calls. */
export function formatTrip({ name, title, functions }: CountedTrip, listed: boolean): string {
  const lines = [`${name}: ${title}`, `  ${sum(functions)}`];
  for (const [folder, inFolder] of groupBy(functions, ({ file }) => folderOf(file))) {
    lines.push(`  ${folder.padEnd(20)} ${sum(inFolder)}`);
    if (!listed) continue;
    for (const [file, inFile] of groupBy(inFolder, (called) => called.file)) {
      lines.push(`    ${file}`, ...inFile.map((called) => `      ${called.name}${times(called.calls)}`));
    }
  }
  return lines.join('\n');
}

function folderOf(file: string): string {
  return file.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
}

function sum(functions: readonly FunctionCalls[]): string {
  const files = new Set(functions.map(({ file }) => file)).size;
  const calls = functions.reduce((total, called) => total + called.calls, 0);
  return `${files} files, ${functions.length} functions, ${Math.round(calls)} calls`;
}

function times(calls: number): string {
  const rounded = Math.round(calls * 10) / 10;
  return rounded === 1 ? '' : ` x ${rounded}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
