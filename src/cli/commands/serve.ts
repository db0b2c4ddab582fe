import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { choiceOption, flagOption, textOption, valueOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import * as output from '../options/output-options.ts';
import { absolutePath, absoluteTask, type RunTask } from '../options/run-task.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';

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
  /** File of the events; undefined: none. */
  readonly logFile: string | undefined;
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

/** `wink serve` */
export const serveDefinition: CommandDefinition<ServeRequest> = defineCommand<ServeRequest>('serve')(
  {
    names: '[AGENT]',
    summary: 'Serve tools to Claude Code, Codex, OpenCode (MCP)',
    usage: ['[AGENT] [options]'],
    tooMany: 'The folder is --workspace DIR.',
    description:
      'Serves the tools of AGENT over the Model Context Protocol, to the client that starts it or with --http on 127.0.0.1. Without AGENT: the files of a folder, read before write, git history, a shell with --sandbox. Each call is a transaction; "wink rewind" undoes it.',
    after: ['  claude mcp add files -- wink serve --workspace .'],
  },
  (command) =>
    command
      .argument('[AGENT]')
      .optionsGroup('Server:')
      .addOption(flagOption('--http', 'Listen on 127.0.0.1; the token is WINK_SERVE_TOKEN'))
      .addOption(valueOption('--port <N>', 'On this port (default: a free one)', readPort))
      .addOption(valueOption('--clients <N>', 'A token for each of N clients (default: 1)', readClients))
      .addOption(flagOption('--structured', 'Results also as values'))
      .optionsGroup('Files:')
      .addOption(file.workspace('The folder (default: the current one)'))
      .addOption(choiceOption('--apply <MODE>', 'each (default), end, never', ['each', 'end', 'never']))
      .addOption(file.sandbox())
      .addOption(file.mcp('Tools of other MCP servers, under the same rules'))
      .optionsGroup('Rules:')
      .addOption(textOption('--policy <FILE>', 'Without AGENT: a module that exports "policies"'))
      .addOption(
        choiceOption(
          '--approve <WHO>',
          'Who answers questions: agent (default), elicit (the client), suspend ("wink approvals")',
          ['agent', 'elicit', 'suspend'],
        ),
      )
      .addOption(kept.expires())
      .addOption(file.noEnforce())
      .optionsGroup('Agent:')
      .addOption(model.params())
      .addOption(file.tag())
      .addOption(file.overrides())
      .optionsGroup('Keep the session:')
      .addOption(kept.durableOrNot('In the journal (default without AGENT)'))
      .addOption(kept.noDurable())
      .addOption(kept.journal('In this one (WINK_JOURNAL)'))
      .addOption(kept.blobs())
      .addOption(kept.runId())
      .addOption(output.record('In a file (WINK_RECORDS)'))
      .optionsGroup('Output:')
      .addOption(output.log('Events as JSON lines'))
      .addOption(output.otel())
      .addOption(output.redact())
      .addOption(output.verbose('Log lines and stacks of errors')),
  (values, agent) => {
    if (agent === '') throw new UsageError('the name of the agent is empty.');
    if (agent !== undefined && values.policy !== undefined) {
      throw new UsageError(
        '--policy adds rules to a folder that is served without an agent; an agent has its own.',
      );
    }
    const isForAgents =
      values.params !== undefined || values.tag !== undefined || values.overrides !== undefined;
    if (agent === undefined && isForAgents) {
      throw new UsageError('--params, --tag and --overrides are for agents: name one, or leave them out.');
    }
    if (values.http !== true && (values.port !== undefined || values.clients !== undefined)) {
      throw new UsageError(`--${values.port === undefined ? 'clients' : 'port'} requires --http.`);
    }
    const { apply = 'each', approve = 'agent' } = values;
    if (approve === 'elicit' && values.expires !== undefined) {
      throw new UsageError('--expires is for questions in a journal: leave it out with --approve=elicit.');
    }
    const task: ServeTask = {
      agent,
      workspace: values.workspace,
      params: values.params ?? {},
      // A server works for someone who sees the folder, so its calls write to it unless that is refused.
      apply: apply === 'never' ? undefined : apply,
      overrides: file.overridesOf(values),
      sandbox: values.sandbox,
      mcpFile: values.mcp,
      policyFile: values.policy,
      redact: values.redact,
    };
    const durable = durableOf(task, values);
    if (durable === undefined && (approve === 'suspend' || values.expires !== undefined)) {
      const option = approve === 'suspend' ? '--approve=suspend' : '--expires';
      throw new UsageError(`${option} requires --durable or --journal.`);
    }
    return {
      ...task,
      port: values.port ?? (values.http === true ? 0 : undefined),
      clients: values.clients ?? 1,
      recordFile: values.record,
      logFile: values.log,
      durable,
      approve,
      expiresMs: values.expires,
      isStructured: values.structured === true,
      isEnforced: values.enforce,
      hasTelemetry: values.otel === true,
    };
  },
);

function readPort(name: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`${name} is "${text}"; it must be a number from 0 to 65535, on 127.0.0.1.`);
}

/** As many as a server has sessions for. */
const maxClients = 64;

function readClients(name: string, text: string): number {
  const clients = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (clients >= 1 && clients <= maxClients) return clients;
  throw new UsageError(`${name} is "${text}"; it must be a number from 1 to ${maxClients}.`);
}

/** A folder that is served without an agent is journaled unless that is refused; an agent is where it is asked for. */
function durableOf(
  task: ServeTask,
  values: {
    readonly durable?: boolean;
    readonly journal?: string;
    readonly blobs?: string;
    readonly runId?: string;
    readonly expires?: number;
    readonly approve?: ServeRequest['approve'];
  },
): ServeJournalChoice | undefined {
  const { durable, journal, blobs, runId } = values;
  const isAskedFor = durable === true || journal !== undefined;
  if (durable === false && (journal !== undefined || blobs !== undefined || runId !== undefined)) {
    throw new UsageError('--no-durable keeps no journal: leave out --journal, --blobs and --run-id.');
  }
  if (durable === false || (task.agent !== undefined && !isAskedFor)) {
    kept.refuseWithoutJournal({ blobs, runId });
    return undefined;
  }
  return {
    journalNames: journalNamesOf(values),
    runId,
    isRequired:
      isAskedFor ||
      blobs !== undefined ||
      runId !== undefined ||
      values.expires !== undefined ||
      values.approve === 'suspend',
    task: { ...absoluteTask(task), policyFile: absolutePath(task.policyFile) },
  };
}
