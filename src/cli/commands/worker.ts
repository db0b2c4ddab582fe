import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import * as limit from '../options/limit-options.ts';
import { flagOption, textOption, valueOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import {
  type OverridesChoice,
  readAmount,
  readDuration,
  type SandboxChoice,
} from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';

/** A request of `wink worker`. */
export interface WorkerRequest extends CommandRequest<'worker'> {
  /** Paths of modules, one at least. */
  readonly agents: readonly string[];
  /** Undefined: the journal of the environment. */
  readonly journalNames: JournalNames | undefined;
  /** How many runs continue at the same time; undefined: as `runWorker` has it. */
  readonly concurrency: number | undefined;
  /** How long the end may take; undefined: as `runWorker` has it. */
  readonly drainMs: number | undefined;
  /** Version of the agents; undefined: not said. */
  readonly version: string | undefined;
  /** Whether jobs and runs of other versions are left to other workers. */
  readonly isStrict: boolean;
  /** How long a question can be answered; undefined: at any time. */
  readonly expiresMs: number | undefined;
  readonly overrides: OverridesChoice | undefined;
  readonly sandbox: SandboxChoice | undefined;
  /** File of servers whose tools each agent gets as well; undefined: none. */
  readonly mcpFile: string | undefined;
  /** Whether runs are reported to OpenTelemetry. */
  readonly hasTelemetry: boolean;
  /** Model and limits of each run. */
  readonly limits: limit.ModelAndLimits;
}

/** `wink worker` */
export const workerDefinition: CommandDefinition<WorkerRequest> = defineCommand<WorkerRequest>('worker')(
  {
    names: 'AGENT...',
    summary: 'Take jobs from the queue of a journal in PostgreSQL',
    usage: ['AGENT... [options]'],
    description:
      'Takes jobs from the queue of a journal in PostgreSQL and runs each as "wink run --durable" does it, on any number of machines. Agents that work on a folder need a program with runWorker(). It needs the package pg-boss 12 and Node 22.12 or later. Ctrl-C or a SIGTERM lets runs end for half of --drain; the others continue in another worker at once.',
    after: ['  WINK_JOURNAL=postgres://wink@db.example/agents wink worker triage.ts'],
  },
  (command) =>
    command
      .argument('[AGENT...]')
      .optionsGroup('Worker:')
      .addOption(valueOption('--concurrency <N>', 'Runs at a time (default: 10)', readAmount))
      .addOption(valueOption('--drain <TIME>', 'How long its end may take (default: 25s)', readDuration))
      .addOption(textOption('--agent-version <TEXT>', 'Version of the agents'))
      .addOption(
        flagOption(
          '--strict',
          'Leave jobs of another version, and runs that began with other code, to others',
        ),
      )
      .addOption(kept.database())
      .addOption(kept.blobs())
      .optionsGroup('Model:')
      .addOption(model.model())
      .addOption(model.baseUrl())
      .optionsGroup('Limits of each run:')
      .addOption(limit.maxTurns())
      .addOption(limit.maxRepeatedFailures())
      .addOption(limit.maxTokens())
      .addOption(limit.maxCost())
      .addOption(limit.prices())
      .addOption(limit.deadline())
      .addOption(limit.timeout())
      .addOption(limit.idleTimeout())
      .optionsGroup('Tools and rules:')
      .addOption(file.sandbox())
      .addOption(file.mcp())
      .addOption(file.tag())
      .addOption(file.overrides())
      .addOption(kept.expires())
      .optionsGroup('Output:')
      .addOption(output.otel())
      .addOption(output.redact())
      .addOption(output.verbose('Log lines and stacks of errors')),
  (values, agents) => {
    if (agents.length === 0 || agents.includes(''))
      throw new UsageError('no agent given: wink worker AGENT…, with files that export agents.');
    return {
      agents,
      journalNames: journalNamesOf(values),
      concurrency: values.concurrency,
      drainMs: values.drain,
      version: values.agentVersion,
      isStrict: values.strict === true,
      expiresMs: values.expires,
      overrides: file.overridesOf(values),
      sandbox: values.sandbox,
      mcpFile: values.mcp,
      hasTelemetry: values.otel === true,
      limits: limit.limitsOf(values),
    };
  },
);
