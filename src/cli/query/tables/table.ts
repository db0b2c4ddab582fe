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

/** A column with its value in a row of the source. */
interface ColumnOf<Source> {
  readonly type: QueryColumn['type'];
  readonly about: string;
  readonly cell: (source: Source) => Cell;
}

/** The makers of columns, for one kind of source. A value that is undefined is NULL. */
export interface ColumnMakers<Source> {
  text(about: string, value: (source: Source) => string | undefined): ColumnOf<Source>;
  /** Whole numbers; times in milliseconds may have fractions and are kept with them. */
  number(about: string, value: (source: Source) => number | undefined): ColumnOf<Source>;
  real(about: string, value: (source: Source) => number | undefined): ColumnOf<Source>;
  /** 1 or 0. */
  flag(about: string, value: (source: Source) => boolean | undefined): ColumnOf<Source>;
  /** JSON text, for `json_extract` and `json_each`. */
  json(about: string, value: (source: Source) => unknown): ColumnOf<Source>;
}

/** What a table is made of: where its rows come from, and its columns by name. */
export interface TableOptions<Source> {
  readonly name: string;
  readonly about: string;
  readonly sources: (record: RunRecord) => Iterable<Source>;
  readonly columns: (make: ColumnMakers<Source>) => Readonly<Record<string, ColumnOf<Source>>>;
}

/** Makes a table. */
export function queryTable<Source>({ name, about, sources, columns }: TableOptions<Source>): QueryTable {
  const entries = Object.entries(columns(makersOf<Source>()));
  return {
    name,
    about,
    columns: entries.map(([column, { type, about: what }]) => ({ name: column, type, about: what })),
    *rows(record) {
      for (const source of sources(record)) yield entries.map(([, { cell }]) => cell(source));
    },
  };
}

function makersOf<Source>(): ColumnMakers<Source> {
  return {
    text: (about, value) => ({ type: 'TEXT', about, cell: (source) => value(source) ?? null }),
    number: (about, value) => ({ type: 'INTEGER', about, cell: (source) => value(source) ?? null }),
    real: (about, value) => ({ type: 'REAL', about, cell: (source) => value(source) ?? null }),
    flag: (about, value) => ({
      type: 'INTEGER',
      about,
      cell: (source) => {
        const is = value(source);
        return is === undefined ? null : Number(is);
      },
    }),
    // Of undefined JSON.stringify makes undefined, which its type does not say.
    json: (about, value) => ({
      type: 'TEXT',
      about: `${about}, as JSON`,
      cell: (source) => {
        const json: string | undefined = JSON.stringify(value(source));
        return json ?? null;
      },
    }),
  };
}
