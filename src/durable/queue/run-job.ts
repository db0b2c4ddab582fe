import {
  assertOptions,
  describeError,
  integer,
  keptName,
  matching,
  type OptionsOf,
  PromptValidationError,
  required,
  rule,
} from '../../core/error/index.ts';
import { isText, wellFormed } from '../../core/internal/index.ts';
import { copyUntrustedJson, type JsonObject } from '../../core/schema/index.ts';
import type { InputPart } from '../../core/tool/index.ts';

/** What a queue keeps of a run that a worker is to begin, or to continue with. Plain JSON. */
export interface RunJob {
  /** Name of the agent in the table of the worker. */
  readonly agent: string;
  /** Name of the run in the journal: however often the job is delivered, it is this run. */
  readonly runId: string;
  /** Session of a run that begins. Default: one with the name of the run. */
  readonly sessionId?: string;
  /** What the user says when the run begins. Default: what the agent says. */
  readonly input?: string | readonly InputPart[];
  /** Params of the agent, over those of the worker key by key. Default: none. */
  readonly params?: JsonObject;
  /** The version of the agent that the job is for, which a strict worker compares with its own. Default: any. */
  readonly version?: string;
  /** Jobs with a larger one are delivered first; a whole number. Default: 0. */
  readonly priority?: number;
  /** Not delivered before, such as `2026-12-01T06:00:00Z`; with a zone. Default: at once. */
  readonly startAfter?: string;
}

const jobChecks: OptionsOf<RunJob> = {
  agent: required(keptName),
  runId: required(keptName),
  sessionId: keptName,
  input: rule((value) => isText(value) || Array.isArray(value), 'a text or a list of parts'),
  params: 'object',
  version: keptName,
  priority: integer({ min: -2_147_483_648, max: 2_147_483_647 }),
  startAfter: matching(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/,
    "a date and a time with a zone, such as '2026-12-01T06:00:00Z'",
  ),
};

/**
 * A copy of a job, checked and well-formed.
 *
 * @param of the function that takes it.
 * @throws {PromptValidationError} with `details.option`, for a member that is unknown, missing or not what it must be.
 */
export function checkedJob(of: string, given: unknown): RunJob {
  // The check refuses what is not a job.
  assertOptions(of, given as RunJob, jobChecks, { path: 'job' });
  let copy: unknown;
  try {
    copy = copyUntrustedJson(given, 'job', Infinity);
  } catch (cause) {
    throw new PromptValidationError(`${of}: the job must be plain JSON: ${describeError(cause)}`, {
      cause,
      details: { option: 'job' },
    });
  }
  const job = wellFormed(copy as RunJob);
  if (Number.isNaN(dueAtMs(job))) {
    throw new PromptValidationError(`${of}: job.startAfter is not a date: "${job.startAfter}".`, {
      details: { option: 'job.startAfter' },
    });
  }
  return job;
}

/** When a job may be delivered, in milliseconds since the Unix epoch; undefined: at once. */
export function dueAtMs({ startAfter }: Pick<RunJob, 'startAfter'>): number | undefined {
  return startAfter === undefined ? undefined : Date.parse(startAfter);
}
