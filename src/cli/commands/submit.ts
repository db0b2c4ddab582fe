import type { JsonObject } from '../../core/schema/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import * as kept from '../options/journal-options.ts';
import { textOption, valueOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import { readAge } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';

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

/** `wink submit` */
export const submitDefinition: CommandDefinition<SubmitRequest> = defineCommand<SubmitRequest>('submit')(
  {
    names: 'NAME',
    summary: 'Send a job to the workers',
    usage: ['NAME [options]'],
    description:
      'Sends a job for the agent with this NAME, as its worker prints it, and prints the name of its run. Submitting a --run-id twice is one run.',
    after: ['  wink submit ops/triage --run-id ticket-17 --params \'{"ticket":17}\''],
  },
  (command) =>
    command
      .argument('[NAME]')
      .optionsGroup('Job:')
      .addOption(kept.runId())
      .addOption(model.params())
      .addOption(model.input('What to say to the agent; @FILE, - for stdin'))
      .addOption(valueOption('--priority <N>', 'A larger one is first (default: 0)', readPriority))
      .addOption(
        valueOption('--start-after <TIME>', '30m, 12h, 30d, or a date: 2026-12-01T06:00:00Z', readStart),
      )
      .addOption(textOption('--agent-version <TEXT>', 'Only for workers of this version'))
      .addOption(kept.database())
      .addOption(output.redact())
      .addOption(output.verbose()),
  (values, agent) => {
    if (agent === undefined || agent === '')
      throw new UsageError('no agent given: wink submit NAME, the name that a worker prints.');
    return {
      agent,
      journalName: values.journal,
      runId: values.runId,
      input: values.input,
      params: values.params,
      version: values.agentVersion,
      priority: values.priority,
      start: values.startAfter,
    };
  },
);

function readPriority(name: string, text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${name} is "${text}"; it must be a whole number, such as 5 or -5.`);
}

function readStart(name: string, text: string): SubmittedStart {
  if (/^\d{4}-/.test(text)) return { at: text };
  return { afterMs: readAge(name, text, ', or a date such as 2026-12-01T06:00:00Z') };
}
