import type { TokenUsage } from '../../core/tool/index.ts';
import type { ResumeRunOptions } from '../../durable/index.ts';
import type { DurableFiles, JournalOpening } from './options.ts';

/** What happens to a process at a point of its program. */
export interface Stroke {
  /** Name of the point and how often it was passed: `model in:2`. */
  readonly at: string;
  /**
   * - `kill`: SIGKILL.
   * - `stop`: SIGSTOP, until someone sends SIGCONT.
   * - `abort`: the signal of the run is aborted.
   * - `deadline`: the deadline of the run passes.
   * - `fill`: from now on the journal refuses all rows, as a full disk does.
   */
  readonly do: 'kill' | 'stop' | 'abort' | 'deadline' | 'fill';
}

/** One life of the agent of the cases: what its process is started with, as JSON. */
export interface Life {
  /** The folder of the case. */
  readonly folder: string;
  /** The folder of locks and undo journals. */
  readonly stateFolder: string;
  readonly files: DurableFiles;
  readonly journal: JournalOpening;
  /** Number within the case, from 1. */
  readonly number: number;
  /** The runs, one after the other in one session. */
  readonly runs: readonly string[];
  readonly stroke?: Stroke;
  /** What the runs do: `once`, the same payment. Default: the script of most cases. */
  readonly script?: 'once';
  /** The last run is cancelled, and nothing else is done. Default: the runs are lived. */
  readonly cancels?: true;
  /** Something is said to the last run, and nothing else is done. Default: the runs are lived. */
  readonly says?: true;
  /** What a run that continues does about a folder that is not as it left it. Default: that of `resumeRun`. */
  readonly resumedFiles?: NonNullable<ResumeRunOptions['files']>;
}

/**
 * File of the folder of a case with its era, a number: the leases of those before have run out, for processes that are stopped, too. None: the first one.
 */
export const eraFile = 'era';

/** Name of what is left of a life that cancels. */
export const cancelName = 'cancel';

/** Name of what is left of a life that says something. */
export const sayName = 'say';

/** What it says. */
export const saidInput = 'Someone says something.';

/** The files that the runs of the cases begin with. A folder also has a mode and a link. */
export const startFiles: Readonly<Record<string, string>> = {
  'run.sh': '#!/bin/sh\necho run\n',
  'docs/a.md': 'a\n',
  'docs/deep/b.md': 'b\n',
  'kept.md': 'kept\n',
};

/** What each answer of the model of the cases costs. */
export const answerUsage: TokenUsage = { inputTokens: 10, outputTokens: 2 };

/** What the program exits with. */
export const exits = { finished: 0, failed: 3 } as const;

/** What is left of one run that has ended, in `RUN.json`. */
export interface RunLeft {
  /** Code of the error that it ended with, and those of its causes; absent when it has finished. */
  readonly codes?: readonly string[];
  /** Message of the error. */
  readonly error?: string;
  /** Whether session and memory files refuse everything after a run that was lost. */
  readonly isClosed?: boolean;
  readonly text?: string;
  readonly finishReason?: string;
  readonly usage?: unknown;
  readonly conversation?: readonly unknown[];
  /** The slices of the session, with LOG. */
  readonly slices?: readonly { readonly name: string; readonly items: readonly unknown[] }[];
  /** Texts of the files in memory by path, and directories. */
  readonly files?: Readonly<Record<string, string>>;
  readonly directories?: readonly string[];
  /** How many answers of the model its rows have. */
  readonly answers?: number;
  /** What `run-resumed` named. */
  readonly changed: readonly string[];
}
