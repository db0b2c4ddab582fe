import { type RecordedError, tokenCost } from '../../../core/runtime/index.ts';
import type { TokenPrices, TokenUsage } from '../../../core/tool/index.ts';
import type { RunRecord } from '../../../record/index.ts';

/** A value as SQLite gets it. */
export type Cell = string | number | null;

/** A column of a table: its type in SQLite, and what it holds, for people. */
export interface QueryColumn {
  readonly name: string;
  readonly type: 'INTEGER' | 'REAL' | 'TEXT';
  readonly about: string;
}

/** A table that a query can use. */
export interface QueryTable {
  readonly name: string;
  /** What one row is. */
  readonly about: string;
  readonly columns: readonly QueryColumn[];
  /** Its rows, each with a value for every column. Made one by one. */
  rows(record: RunRecord): Iterable<readonly Cell[]>;
}

/** Columns by name, each with its value in a row of the source. */
export type Columns<Source> = Readonly<
  Record<string, Omit<QueryColumn, 'name'> & { readonly cell: (source: Source) => Cell }>
>;

/** What a path of names, such as `response.usage`, leads to; undefined where one of them is absent. */
type ValueAt<Source, Path> = Path extends `${infer Name}.${infer Rest}`
  ? ValueAt<MemberOf<Source, Name>, Rest>
  : MemberOf<Source, Path>;
type MemberOf<Source, Name> = Source extends unknown
  ? Name extends keyof Source
    ? Source[Name]
    : undefined
  : never;
/** A path that leads to such values; never for one that leads to others, or to nothing. */
type PathTo<Source, Path, Value> =
  ValueAt<Source, Path> extends infer Found
    ? [Found] extends [undefined]
      ? never
      : [Found] extends [Value | undefined]
        ? Path
        : never
    : never;

/** Makes a column from what it holds, and where that is in the source: a path, or a function. A value that is undefined is NULL. */
type ColumnMaker<Source, Value> = <Path extends string>(
  about: string,
  value: (Path & PathTo<Source, Path, Value>) | ((source: Source) => Value | undefined),
) => Columns<Source>[string];

/** The makers of columns, for one kind of source. */
interface ColumnMakers<Source> {
  readonly text: ColumnMaker<Source, string>;
  /** Whole numbers; times in milliseconds may have fractions and are kept with them. */
  readonly number: ColumnMaker<Source, number>;
  readonly real: ColumnMaker<Source, number>;
  /** 1 or 0. */
  readonly flag: ColumnMaker<Source, boolean>;
  /** JSON text, for `json_extract` and `json_each`. */
  readonly json: ColumnMaker<Source, unknown>;
}

/** What a table is made of: where its rows come from, and its columns by name. */
interface TableOptions<Source> {
  readonly name: string;
  readonly about: string;
  readonly sources: (record: RunRecord) => Iterable<Source>;
  readonly columns: (make: ColumnMakers<Source>) => Columns<Source>;
}

/** Makes a table. */
export function queryTable<Source>({ name, about, sources, columns }: TableOptions<Source>): QueryTable {
  const entries = Object.entries(columnsOf(columns));
  return {
    name,
    about,
    columns: entries.map(([column, { type, about: what }]) => ({ name: column, type, about: what })),
    *rows(record) {
      for (const source of sources(record)) yield entries.map(([, { cell }]) => cell(source));
    },
  };
}

/** Makes columns that several tables have. */
export function columnsOf<Source>(columns: TableOptions<Source>['columns']): Columns<Source> {
  return columns({
    text: columnMaker<Source, string>('TEXT', (text) => text),
    number: columnMaker<Source, number>('INTEGER', (number) => number),
    real: columnMaker<Source, number>('REAL', (number) => number),
    flag: columnMaker('INTEGER', Number),
    json: (about, value) => columnMaker<Source, unknown>('TEXT', JSON.stringify)(`${about}, as JSON`, value),
  });
}

/** The same columns of what a source has in it. */
export function columnsWithin<Source, Inner>(
  innerOf: (source: Source) => Inner,
  columns: Columns<Inner>,
): Columns<Source> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { cell, ...column }]) => [
      name,
      { ...column, cell: (source) => cell(innerOf(source)) },
    ]),
  );
}

function columnMaker<Source, Value>(
  type: QueryColumn['type'],
  toCell: (value: Value) => Cell,
): ColumnMaker<Source, Value> {
  return (about, value) => {
    // The compiler has checked what a path leads to.
    const valueOf = (source: Source): Value | undefined =>
      typeof value === 'function' ? value(source) : (valueAt(source, value) as Value | undefined);
    return {
      type,
      about,
      cell: (source) => {
        const found = valueOf(source);
        return found === undefined ? null : toCell(found);
      },
    };
  };
}

/** What a path leads to; undefined where one of its names is absent. */
function valueAt(source: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((found, name) => (found === undefined ? undefined : Object(found)[name]), source);
}

/** `to - from`, where both are known. */
export function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : to - from;
}

/** What something spent, and at which prices. */
export interface SourceSpending {
  readonly usage?: TokenUsage | undefined;
  readonly prices?: TokenPrices | undefined;
  /** Where it is not that of all of the usage at these prices. */
  readonly cost?: number | undefined;
}

/** What a source spent: tokens as the provider counted them, and their cost where prices are known. */
export const usageColumns: Columns<SourceSpending> = columnsOf(({ number, real }) => ({
  input_tokens: number('tokens of the input, cached ones included', 'usage.inputTokens'),
  output_tokens: number('tokens of the output, reasoning included', 'usage.outputTokens'),
  cached_input_tokens: number('part of the input from the cache of the provider', 'usage.cachedInputTokens'),
  cache_write_input_tokens: number('part of the input that went to the cache', 'usage.cacheWriteInputTokens'),
  long_cache_write_input_tokens: number(
    'part of that which is kept for the longer lifetime',
    'usage.longCacheWriteInputTokens',
  ),
  reasoning_tokens: number('part of the output that the model thought with', 'usage.reasoningTokens'),
  cost: real('in the currency of the prices; NULL where they are not known', ({ cost, usage, prices }) =>
    usage === undefined || prices === undefined ? cost : tokenCost(usage, prices),
  ),
}));

/** An error in three columns. */
export const errorColumns: Columns<RecordedError | undefined> = columnsOf(({ text }) => ({
  error: text('message of the error', 'message'),
  error_name: text('name of the error', 'name'),
  error_code: text('its stable code, where it has one', 'code'),
}));
