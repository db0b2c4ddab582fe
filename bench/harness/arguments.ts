import { parseArgs } from 'node:util';
import type { Effort } from './effort.ts';
import type { BenchRow } from './row.ts';

/** Parsed command line. */
export type BenchCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'wrong'; readonly message: string }
  /** Writes reports into the tables of `bench/RESULTS.md`. */
  | { readonly kind: 'write'; readonly reports: readonly string[] }
  /** Counts the calls of the ways through the sources; `bench/trips` reads the rest. */
  | { readonly kind: 'trips'; readonly args: readonly string[] }
  /** Runs over workers on a database; `bench/fleet` reads the rest. */
  | { readonly kind: 'fleet'; readonly args: readonly string[] }
  /** What systems do, not how long it takes; `bench/compare` reads the rest. */
  | { readonly kind: 'compare'; readonly args: readonly string[] }
  | RunCommand;

export interface RunCommand {
  readonly kind: 'run';
  readonly effort: Effort;
  /** Default: that of the effort. */
  readonly passes?: number;
  readonly rows?: readonly string[];
  /** Only the rows that the results begin with. */
  readonly headline?: boolean;
  readonly contenders?: readonly string[];
  /** Where the JSON goes. Default: `bench/results/latest.json`, but for `--tiny`. */
  readonly json?: string;
  /** The Node that runs the programs. Default: the one that runs the harness. */
  readonly node?: string;
}

export const usage = `npm run bench -- [OPTIONS]
npm run bench -- trips [--help]
npm run bench -- fleet [--help]
npm run bench -- compare [--help]

Compares weakincentives with a loop written by hand and with its peers. Peers: npm ci --prefix bench.

  --quick        one pass, short time limits: about 3 minutes
  --tiny         the least that shows that every program works; no figure is judged
  --row ID,…     these rows only; loop* are all whose ids begin with loop
  --headline     only the rows that RESULTS.md begins with: what people feel
  --only NAME,…  these contenders only
  --passes N     how often each program is run (default: 1)
  --json FILE    where the report goes (default: bench/results/latest.json; with --tiny nowhere)
  --node FILE    the Node that runs what is measured (default: the one that runs this)
  --write FILE,… measures nothing: writes these reports into the tables of bench/RESULTS.md and of guides/limits.md
  --list         shows rows and contenders
  --help         shows this

  trips          compares nothing: counts files, functions and calls on the ways through the sources
  fleet          compares nothing: 10,000 runs over four workers on the PostgreSQL that WINK_JOURNAL names, one of which is killed
  compare        measures nothing: runs the scripts of bench/compare, which say what each system does`;

const options = {
  quick: { type: 'boolean' },
  tiny: { type: 'boolean' },
  row: { type: 'string', multiple: true },
  headline: { type: 'boolean' },
  only: { type: 'string', multiple: true },
  passes: { type: 'string' },
  json: { type: 'string' },
  node: { type: 'string' },
  write: { type: 'string', multiple: true },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

export function readArguments(args: readonly string[], rows: readonly BenchRow[]): BenchCommand {
  if (args[0] === 'trips') return { kind: 'trips', args: args.slice(1) };
  if (args[0] === 'fleet') return { kind: 'fleet', args: args.slice(1) };
  if (args[0] === 'compare') return { kind: 'compare', args: args.slice(1) };
  try {
    return toCommand(parseArgs({ args: [...args], options, strict: true }).values, rows);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

type Values = ReturnType<typeof parseArgs<{ readonly options: typeof options }>>['values'];

function toCommand(values: Values, rows: readonly BenchRow[]): BenchCommand {
  if (values.help === true) return { kind: 'help' };
  if (values.list === true) return { kind: 'list' };
  if (values.quick === true && values.tiny === true) return wrong('Choose --quick or --tiny, not both.');
  const reports = split(values.write);
  if (reports !== undefined) return { kind: 'write', reports };
  if (values.headline === true && values.row !== undefined)
    return wrong('Choose --headline or --row, not both.');
  const wanted = split(values.row);
  const known = rows.map(({ id }) => id);
  const ids = wanted?.flatMap((id) => expand(id, known));
  const names = split(values.only);
  const problem =
    unknownOf('--row', ids, known) ??
    unknownOf(
      '--only',
      names,
      rows.flatMap(({ contenders }) => contenders.map(({ name }) => name)),
    );
  if (problem !== undefined) return wrong(problem);
  const passes = values.passes === undefined ? undefined : Number(values.passes);
  if (passes !== undefined && !(Number.isSafeInteger(passes) && passes >= 1 && passes <= 100)) {
    return wrong(`--passes is a whole number from 1 to 100, not "${values.passes}".`);
  }
  return {
    kind: 'run',
    effort: values.tiny === true ? 'tiny' : values.quick === true ? 'quick' : 'full',
    ...(passes !== undefined && { passes }),
    ...(ids && { rows: ids }),
    ...(values.headline === true && { headline: true }),
    ...(names && { contenders: names }),
    ...(values.json !== undefined && { json: values.json }),
    ...(values.node !== undefined && { node: values.node }),
  };
}

function split(values: readonly string[] | undefined): readonly string[] | undefined {
  return values?.flatMap((value) => value.split(',').map((part) => part.trim()));
}

/** @returns every known id that `loop*` begins; the text itself when it ends otherwise or begins none */
function expand(text: string, known: readonly string[]): readonly string[] {
  if (!text.endsWith('*')) return [text];
  const ids = known.filter((id) => id.startsWith(text.slice(0, -1)));
  return ids.length > 0 ? ids : [text];
}

function unknownOf(
  option: string,
  wanted: readonly string[] | undefined,
  known: readonly string[],
): string | undefined {
  const unknown = wanted?.filter((value) => !known.includes(value)) ?? [];
  if (unknown.length === 0) return undefined;
  return `${option}: there is no "${unknown.join('", "')}"; there are ${[...new Set(known)].join(', ')}.`;
}

function wrong(message: string): BenchCommand {
  return { kind: 'wrong', message };
}
