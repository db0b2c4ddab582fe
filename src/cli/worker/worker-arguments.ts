import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import {
  type OverridesChoice,
  readAmount,
  readDuration,
  readExpiry,
  readOverrides,
  readSandbox,
  type SandboxChoice,
} from '../options/option-values.ts';
import { type RunTask, readLimits } from '../options/run-arguments.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink worker`. */
export interface WorkerRequest extends CommandRequest<'worker'> {
  /** Paths of modules, one at least. */
  readonly agents: readonly string[];
  /** Undefined: the journal of the environment. */
  readonly journalNames: JournalNames | undefined;
  /** How many runs go on at the same time; undefined: as `runWorker` has it. */
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
  readonly limits: Pick<RunTask, keyof ReturnType<typeof readLimits>>;
}

/** Reads the arguments after `worker`. */
export const readWorkerArguments: ArgumentReader<WorkerRequest> = argumentReader(
  'worker',
  {
    texts: [
      ...([
        'journal',
        'blobs',
        'concurrency',
        'drain',
        'agent-version',
        'expires',
        'tag',
        'overrides',
        'sandbox',
        'mcp',
      ] as const),
      ...([
        'model',
        'base-url',
        'max-turns',
        'max-repeated-failures',
        'max-tokens',
        'max-cost',
        'prices',
      ] as const),
      ...(['deadline', 'timeout', 'idle-timeout'] as const),
    ],
    flags: ['strict', 'otel'],
    lists: ['redact'],
  },
  (values, agents) => {
    if (agents.length === 0 || agents.includes(''))
      throw new UsageError('no agent given: wink worker AGENT…, with files that export agents.');
    return {
      agents,
      journalNames: readJournalNames(values),
      concurrency: readAmount('--concurrency', values.concurrency),
      drainMs: readDuration('--drain', values.drain),
      version: values['agent-version'],
      isStrict: values.strict === true,
      expiresMs: readExpiry(values.expires),
      overrides: readOverrides(values),
      sandbox: readSandbox(values.sandbox),
      mcpFile: values.mcp,
      hasTelemetry: values.otel === true,
      limits: readLimits(values),
    };
  },
);
