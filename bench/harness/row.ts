import type { JsonObject } from 'weakincentives';

/** One line of the table: a figure that several contenders are compared by. Less is better in every row. */
export interface BenchRow {
  /** Stable name for `--row` and the JSON report, such as `agent-loop-1000`. */
  readonly id: string;
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 'bytes' | 'KiB' | 'MiB' | 'packages';
  readonly contenders: readonly Contender[];
  readonly targets: readonly Target[];
  /** Whether it is one of the rows that the results begin with, which `--headline` selects. */
  readonly headline?: boolean;
  /** For a row that differs from another only in size. */
  readonly leftOutByTiny?: boolean;
}

/** A contender and its program. Contenders of one program and the same settings share its processes. */
export interface Contender {
  /**
   * `weakincentives` for the library itself, `by hand` for the hand-written floor (`by hand (how)`); else what it is compared with, and
   * where that is a package, its name first: `memfs`, `memfs toJSON`.
   */
  readonly name: string;
  /** The program under `bench/`, without its ending: `systems/pi`. It runs as a child process and prints a {@link Report}. */
  readonly program: string;
  /** Passed to the program through `runProgram`, together with the effort. */
  readonly settings: JsonObject;
  /** Which figure of the report belongs in this row. */
  readonly figure: string;
  /** A variant of the library at another size or with other settings; not counted as a peer. */
  readonly isOwn?: boolean;
  /** How samples are taken. Default: several in a process, after a few short runs. */
  readonly sampling?: Sampling;
  /** True when the row takes too long for `--quick`. */
  readonly leftOutByQuick?: boolean;
}

/** `fresh`: one sample a process, and several processes a pass. `few`: one sample a pass, for what takes many seconds. */
export type Sampling = 'fresh' | 'few';

/** Target for the library in a row: at most `factor` times the value of `comparedTo`, or at most `factor` of the unit. */
export interface Target {
  readonly factor: number;
  /** The name of a contender of the same row, `fastest peer` for the peer with the lowest median, or `{ row, contender }` of another; absent for an absolute limit. */
  readonly comparedTo?: string | { readonly row: string; readonly contender: string };
  /** The major version of Node that it is for. Default: all. */
  readonly node?: number;
}

/** The one line of JSON that a program prints on standard output. It exits with a code above 0 when its result was wrong. */
export interface Report {
  /** Samples by the name of the figure, in the unit of its row, in the order they were taken. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  /** Notes for the reader, such as `cut off after 60 s`. */
  readonly notes?: readonly string[];
  /** Why this machine cannot run the program, such as a command that is not installed. It has no samples then. */
  readonly unavailable?: string;
}
