import type { JsonObject } from 'weakincentives';

/** One line of the table: a figure that several contenders are compared by. Less is better in every row. */
export interface BenchRow {
  /** Stable name for `--row` and the JSON report, such as `agent-loop-1000`. */
  readonly id: string;
  readonly title: string;
  readonly unit: 'µs' | 'ms' | 'MiB' | 'packages';
  readonly contenders: readonly Contender[];
  readonly targets: readonly Target[];
  /** For what differs from another row in nothing but its size. */
  readonly leftOutByTiny?: boolean;
}

/** Who is measured, and by which program. Contenders of one program and the same settings share its processes. */
export interface Contender {
  /**
   * `weakincentives` for the library itself, `by hand` for the hand-written floor (`by hand (how)`); else what it is compared with, and
   * where that is a package, its name first: `memfs`, `memfs toJSON`.
   */
  readonly name: string;
  /** The program under `bench/`, without its ending: `systems/pi`. It runs as a child process and prints a {@link Report}. */
  readonly program: string;
  /** What the program gets through `runProgram`, together with how thoroughly it is to measure. */
  readonly settings: JsonObject;
  /** Which figure of the report belongs in this row. */
  readonly figure: string;
  /** The library in another size or another way: no peer that it is compared with. */
  readonly isOwn?: boolean;
  /** For what takes too long for `--quick`. */
  readonly leftOutByQuick?: boolean;
}

/** What the library is to reach in a row: at most `factor` times what `comparedTo` needs, or at most `factor` of the unit. */
export interface Target {
  readonly factor: number;
  /** The name of a contender of the same row, `fastest peer` for the peer with the lowest median, or `{ row, contender }` of another; absent for an absolute limit. */
  readonly comparedTo?: string | { readonly row: string; readonly contender: string };
}

/** The one line of JSON that a program prints on standard output. It exits with a code above 0 when its result was wrong. */
export interface Report {
  /** Samples by the name of the figure, in the unit of its row, in the order they were taken. */
  readonly samples: Readonly<Record<string, readonly number[]>>;
  /** What a reader has to know, such as `cut off after 60 s`. */
  readonly notes?: readonly string[];
}
