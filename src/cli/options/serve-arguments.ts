import { UsageError } from '../process/errors.ts';
import {
  type ArgumentReader,
  argumentReader,
  type CommandRequest,
  type ListValues,
  type OptionValues,
} from './command-line.ts';
import { type JournalNames, readJournalNames } from './journal-names.ts';
import {
  type ApplyMode,
  readExpiry,
  readOverrides,
  readParams,
  readRunName,
  readSandbox,
} from './option-values.ts';
import { absolutePath, absoluteTask, type RunTask, refuseWithoutJournal } from './run-arguments.ts';

/** A journal for the calls of a server. */
export interface ServeJournalChoice {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Name of the run; undefined: a new one. */
  readonly runId: string | undefined;
  /** Whether an option asked for it or needs it; otherwise it is left out where it is not possible. */
  readonly isRequired: boolean;
  /** With absolute paths; without the folder that is worked on when none is named. */
  readonly task: ServeTask;
}

/** What is served: a journal keeps it with the calls. Undefined: not specified. */
export interface ServeTask
  extends Pick<RunTask, 'workspace' | 'params' | 'apply' | 'overrides' | 'sandbox' | 'mcpFile' | 'redact'> {
  /** Path of a module; undefined: the tools for a folder. */
  readonly agent: string | undefined;
  /** Path of a module with rules. */
  readonly policyFile: string | undefined;
}

/** SHA-256 of what is served, in hexadecimal: of the prompt with its tools, and of the files of a {@link ServeTask}. Absent: there is no such file. */
export interface ServedCode {
  readonly prompt: string;
  readonly agent?: string;
  readonly policyFile?: string;
  readonly mcpFile?: string;
}

/** A request of `wink serve`. */
export interface ServeRequest extends ServeTask, CommandRequest<'serve'> {
  /** Port on 127.0.0.1, 0 for a free one; undefined: standard input and output. */
  readonly port: number | undefined;
  /** How many clients get a token of their own over HTTP, from 1. */
  readonly clients: number;
  /** File of the record; empty: a new one in the folder of records. Undefined: the run is not recorded. */
  readonly recordFile: string | undefined;
  /** Undefined: the calls are not kept in a journal. */
  readonly durable: ServeJournalChoice | undefined;
  /** Who answers the questions of policies: the agent, the client, or someone later. */
  readonly approve: 'agent' | 'elicit' | 'suspend';
  /** How long a question can be answered that waits in the journal; undefined: at any time. */
  readonly expiresMs: number | undefined;
  readonly isStructured: boolean;
  readonly isEnforced: boolean;
  /** Whether the calls are reported to OpenTelemetry. */
  readonly hasTelemetry: boolean;
}

const texts = [
  ...(['workspace', 'params', 'record', 'journal', 'blobs', 'run-id', 'apply', 'tag', 'overrides'] as const),
  ...(['sandbox', 'expires', 'mcp', 'port', 'clients', 'policy', 'approve'] as const),
] as const;
const flags = ['durable', 'no-enforce', 'otel', 'http', 'structured', 'no-durable'] as const;

type Values = OptionValues<(typeof texts)[number], (typeof flags)[number]> & ListValues;

/** Reads the arguments after `serve`. */
export const readServeArguments: ArgumentReader<ServeRequest> = argumentReader(
  'serve',
  { texts, flags, lists: ['redact'] },
  (values: Values, [agent, ...others]) => {
    if (agent === '') throw new UsageError('the name of the agent is empty.');
    if (others.length > 0) {
      throw new UsageError(
        `one agent at a time, not ${1 + others.length}; the folder is named with --workspace.`,
      );
    }
    if (agent !== undefined && values.policy !== undefined) {
      throw new UsageError(
        '--policy adds rules to a folder that is served without an agent; an agent has its own.',
      );
    }
    if (
      agent === undefined &&
      (values.params !== undefined || values.tag !== undefined || values.overrides !== undefined)
    ) {
      throw new UsageError('--params, --tag and --overrides are for agents: name one, or leave them out.');
    }
    const approve = readApprove(values.approve);
    const task: ServeTask = {
      agent,
      workspace: values.workspace,
      params: readParams(values.params),
      apply: readServeApply(values.apply),
      overrides: readOverrides(values),
      sandbox: readSandbox(values.sandbox),
      mcpFile: values.mcp,
      policyFile: values.policy,
      redact: values.redact,
    };
    const durable = readJournal(task, values);
    if (durable === undefined && (approve === 'suspend' || values.expires !== undefined)) {
      const option = approve === 'suspend' ? '--approve=suspend' : '--expires';
      throw new UsageError(`${option} requires --durable or --journal.`);
    }
    return {
      ...task,
      port: readPort(values),
      clients: readClients(values),
      recordFile: values.record,
      durable,
      approve,
      expiresMs: readServeExpiry(values.expires, approve),
      isStructured: values.structured === true,
      isEnforced: values['no-enforce'] !== true,
      hasTelemetry: values.otel === true,
    };
  },
);

function readPort({ http, port }: Values): number | undefined {
  if (port === undefined) return http === true ? 0 : undefined;
  if (http !== true) throw new UsageError('--port requires --http.');
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (number <= 65_535) return number;
  throw new UsageError(`--port is "${port}"; it must be a number from 0 to 65535, on 127.0.0.1.`);
}

/** As many as a server has sessions for. */
const maxClients = 64;

function readClients({ clients, http }: Values): number {
  if (clients === undefined) return 1;
  if (http !== true) throw new UsageError('--clients requires --http.');
  const number = /^\d{1,2}$/.test(clients) ? Number(clients) : 0;
  if (number >= 1 && number <= maxClients) return number;
  throw new UsageError(`--clients is "${clients}"; it must be a number from 1 to ${maxClients}.`);
}

/** A server works for someone who sees the folder, so its calls write to it unless that is refused. */
function readServeApply(text: string | undefined): ApplyMode | undefined {
  if (text === undefined || text === 'each') return 'each';
  if (text === 'end') return 'end';
  if (text === 'never') return undefined;
  throw new UsageError(`--apply is "${text}"; it must be --apply=each, --apply=end or --apply=never.`);
}

function readApprove(text: string | undefined): ServeRequest['approve'] {
  if (text === undefined || text === 'agent') return 'agent';
  if (text === 'elicit' || text === 'suspend') return text;
  throw new UsageError(
    `--approve is "${text}"; it must be agent (its own function, or "wink approvals" where there is a journal), elicit (the client is asked) or suspend ("wink approvals").`,
  );
}

function readServeExpiry(text: string | undefined, approve: ServeRequest['approve']): number | undefined {
  if (text !== undefined && approve === 'elicit')
    throw new UsageError('--expires is for questions in a journal: leave it out with --approve=elicit.');
  return readExpiry(text);
}

/** A folder that is served without an agent is journaled unless that is refused; an agent is where it is asked for. */
function readJournal(task: ServeTask, values: Values): ServeJournalChoice | undefined {
  const { blobs, durable, journal, 'run-id': runId, 'no-durable': isRefused = false } = values;
  const isAskedFor = durable === true || journal !== undefined;
  if (isRefused && (isAskedFor || blobs !== undefined || runId !== undefined)) {
    throw new UsageError(
      '--no-durable keeps no journal: leave out --durable, --journal, --blobs and --run-id.',
    );
  }
  if (isRefused || (task.agent !== undefined && !isAskedFor)) {
    refuseWithoutJournal(values);
    return undefined;
  }
  return {
    journalNames: readJournalNames(values),
    runId: readRunName(runId),
    isRequired:
      isAskedFor ||
      blobs !== undefined ||
      runId !== undefined ||
      values.expires !== undefined ||
      values.approve === 'suspend',
    task: { ...absoluteTask(task), policyFile: absolutePath(task.policyFile) },
  };
}
