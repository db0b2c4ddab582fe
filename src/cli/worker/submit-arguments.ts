import type { JsonObject } from '../../core/schema/index.ts';
import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { readAge, readParams, readRunName } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink submit`. */
export interface SubmitRequest extends CommandRequest<'submit'> {
  /** Name of the agent, as its worker has it. */
  readonly agent: string;
  /** Undefined: the journal of the environment. */
  readonly journalName: string | undefined;
  /** Name of the run; undefined: a new one. */
  readonly runId: string | undefined;
  /** Undefined: that of the agent. */
  readonly input: string | undefined;
  /** Undefined: none. */
  readonly params: JsonObject | undefined;
  /** Undefined: any. */
  readonly version: string | undefined;
  readonly priority: number | undefined;
  /** When a worker may begin it; undefined: at once. */
  readonly start: SubmittedStart | undefined;
}

/** A point in time: after so many milliseconds, or a date with a zone. */
export type SubmittedStart = { readonly afterMs: number } | { readonly at: string };

/** Reads the arguments after `submit`. */
export const readSubmitArguments: ArgumentReader<SubmitRequest> = argumentReader(
  'submit',
  {
    texts: ['journal', 'run-id', 'input', 'params', 'agent-version', 'priority', 'start-after'],
    flags: [],
    lists: ['redact'],
  },
  (values, [agent = '', ...others]) => {
    if (agent === '')
      throw new UsageError('no agent given: wink submit AGENT, the name that a worker prints.');
    if (others.length > 0) throw new UsageError(`one agent at a time, not ${1 + others.length}.`);
    return {
      agent,
      journalName: values.journal,
      runId: readRunName(values['run-id']),
      input: values.input,
      params: values.params === undefined ? undefined : readParams(values.params),
      version: values['agent-version'],
      priority: readPriority(values.priority),
      start: readStart(values['start-after']),
    };
  },
);

function readPriority(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`--priority is "${text}"; it must be a whole number, such as 5 or -5.`);
}

function readStart(text: string | undefined): SubmittedStart | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-/.test(text)) return { at: text };
  return { afterMs: readAge('--start-after', text) ?? 0 };
}
