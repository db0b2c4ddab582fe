import { Writable } from 'node:stream';
import { describeError, WinkError } from '../core/error/index.ts';
import type { AnyAgent } from '../core/evaluation/index.ts';
import { Filesystem, type FilesystemSnapshot } from '../core/filesystem/index.ts';
import { counted, present, untilAborted } from '../core/internal/index.ts';
import type { Prompt } from '../core/prompt/index.ts';
import { binding } from '../core/resource/index.ts';
import { type RunEvent, suspendApproval } from '../core/runtime/index.ts';
import type { Logger } from '../core/tool/index.ts';
import { type McpServerOptions, type McpToolServer, openMcpServer } from '../harness/mcp/index.ts';
import { type CommandParts, ownParts } from './agent/command-parts.ts';
import type { ServedCode, ServeRequest } from './commands/serve.ts';
import { applyChanges, describeApplication, describeApplied } from './folder/apply-to-folder.ts';
import { journalOption } from './journal/journal-name.ts';
import { questionScope, servedCode } from './journal/served-code.ts';
import { Disposals } from './process/disposals.ts';
import { type CliEnvironment, CliInterruption, exitCodes, type OutputStream } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { StrayError } from './process/stray-error.ts';
import { eventLine } from './report/events/event-record.ts';
import { verboseLogger } from './report/progress/verbose-logger.ts';
import { openServedAgent, type ServedAgent } from './serve/open-served-agent.ts';
import { ServedSessions } from './serve/served-sessions.ts';
import { tokenLines, tokensOf } from './serve/tokens.ts';

/**
 * Serves the tools of an agent, or those for a folder, over the Model Context Protocol, until the client ends or the process is interrupted.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} when the server cannot start.
 */
export async function serveCommand(
  request: ServeRequest,
  environment: CliEnvironment,
  overrides: Partial<CommandParts> = {},
): Promise<number> {
  const { stderr } = environment;
  const parts = { ...ownParts(environment), ...overrides };
  const logger = request.isVerbose ? verboseLogger(stderr) : undefined;
  await using opened = new Disposals();
  const served = await openServedAgent(request, { environment, parts, opened, logger });
  const say = (line: string): void => stderr.write(`wink: ${printable(served.redactor.text(line))}.\n`);
  return await serve(request, environment, { preparation: served, parts, logger, say });
}

/** What the command works with once it is prepared. */
interface Serving {
  readonly preparation: ServedAgent;
  readonly parts: CommandParts;
  readonly logger: Logger | undefined;
  /** Writes a line without its period to the error output. */
  readonly say: (line: string) => void;
}

async function serve(request: ServeRequest, environment: CliEnvironment, serving: Serving): Promise<number> {
  const { preparation, say } = serving;
  const { agent, folder, params, resources } = preparation;
  const before = await folder?.filesystem.snapshot();
  const prompt = agent.template.bind(params, {
    resources: [
      ...(folder === undefined ? [] : [binding(Filesystem, { instance: folder.filesystem })]),
      ...resources,
    ],
  });
  const { kept } = preparation;
  const code = kept === undefined ? undefined : await servedCode(kept.choice.task, prompt);
  const sessions = new ServedSessions(preparation, prompt, code, say);
  const counts = new CallCounts();
  const server = await open(request, environment, serving, { prompt, code, sessions, counts });
  let hasFailed = false;
  try {
    announce(request, environment, serving, server);
    await untilAborted(server.closed, environment.signal);
  } catch (error) {
    // An interrupt is how it ends; so is a client that is gone.
    if (!(error instanceof CliInterruption)) {
      hasFailed = true;
      if (!(error instanceof StrayError)) throw error;
    }
  } finally {
    await server[Symbol.asyncDispose]();
  }
  say(counts.text());
  return end(serving, sessions, before, hasFailed);
}

interface Served {
  readonly prompt: Prompt;
  /** Undefined: no journal keeps it. */
  readonly code: ServedCode | undefined;
  readonly sessions: ServedSessions;
  readonly counts: CallCounts;
}

/** @throws {UsageError} when the prompt cannot be prepared, or the port is in use. */
async function open(
  request: ServeRequest,
  environment: CliEnvironment,
  { logger, parts, preparation, say }: Serving,
  { code, counts, prompt, sessions }: Served,
): Promise<McpToolServer> {
  const { agent, log, overrides, redactor, telemetry } = preparation;
  const { now, stdout, variables, version } = environment;
  const begunAtMs = now();
  const approve = approverFor(request, preparation, code, say);
  const start = (): Promise<McpToolServer> =>
    openMcpServer(prompt, {
      name: agent.name,
      version,
      agentName: agent.name,
      structured: request.isStructured,
      resources: true,
      prompts: true,
      enforce: request.isEnforced,
      limits: limitsOf(agent),
      observers: [
        ...(agent.observers ?? []),
        ...(telemetry === undefined ? [] : [telemetry.observer]),
        ...(log === undefined
          ? []
          : [{ onEvent: (event: RunEvent) => log.write(eventLine(event, now() - begunAtMs, redactor)) }]),
        counts,
      ],
      redact: redactor.text,
      openSession: () => sessions.open(),
      ...present({ approve, feedback: agent.feedback, overrides, logger }),
      transport:
        request.port === undefined
          ? { kind: 'stdio', input: parts.input(), output: writableOf(stdout) }
          : {
              kind: 'http',
              port: request.port,
              token: tokensOf(variables, request.clients),
            },
    });
  try {
    return await (telemetry === undefined ? start() : telemetry.runIn(start));
  } catch (error) {
    if (!WinkError.isInstance(error)) throw error;
    const message = printable(redactor.text(describeError(error))).replace(/\.$/, '');
    throw new UsageError(`the server cannot start: ${message}.`, { cause: error });
  }
}

/** Who answers what policies ask: the agent, the client, or someone later; undefined: the answer is no. */
function approverFor(
  { approve, expiresMs }: ServeRequest,
  { agent, folder, kept }: ServedAgent,
  code: ServedCode | undefined,
  say: Serving['say'],
): McpServerOptions['approve'] {
  if (approve === 'elicit') return approve;
  if (approve === 'agent' && agent.approve !== undefined) return agent.approve;
  if (kept === undefined || code === undefined) return undefined;
  const option = journalOption(kept.choice.journalNames);
  return suspendApproval({
    ...present({ expiresMs }),
    scope: questionScope(agent.name, folder?.filesystem.hostPath, kept.choice.task, code),
    onPending: (pending) => {
      for (const { policy, toolName } of pending) {
        say(
          `a call of "${toolName}" waits for an answer to the policy "${policy}": wink approvals list${option}`,
        );
      }
    },
  });
}

/** The limits of the agent that concern calls; the others are for a model. */
function limitsOf({ limits = {} }: AnyAgent): NonNullable<McpServerOptions['limits']> {
  const { budget, idleTimeoutMs, maxConcurrentCalls, maxResultCharacters, maxSectionOpenings } = limits;
  return {
    ...present({ budget, idleTimeoutMs, maxConcurrentCalls, maxResultCharacters, maxSectionOpenings }),
  };
}

/** How clients reach the server, and what happens to what they change. */
function announce(
  { apply, port }: ServeRequest,
  { stderr, stdout, variables }: CliEnvironment,
  { preparation: { agent, folder }, say }: Serving,
  { tokens, url }: McpToolServer,
): void {
  const what = folder === undefined ? `"${agent.name}"` : `"${agent.name}" on the folder "${folder.name}"`;
  say(`serving ${what} over ${port === undefined ? 'standard input and output' : 'HTTP, until Ctrl-C'}`);
  if (folder !== undefined) say(writing(apply));
  if (url === undefined) return;
  stdout.write(`${url}\n`);
  for (const line of tokenLines(variables, tokens)) stderr.write(`wink: ${line}\n`);
}

function writing(apply: ServeRequest['apply']): string {
  switch (apply) {
    case 'each':
      return 'the changes of a call are written to the folder when it succeeds';
    case 'end':
      return 'changes are written to the folder when the server ends, all or none';
    case undefined:
      return 'nothing is written to the folder (--apply=never)';
  }
}

/** Writes what waits for the end. @returns the exit code. */
async function end(
  { preparation: { folder }, say }: Serving,
  sessions: ServedSessions,
  before: FilesystemSnapshot | undefined,
  hasFailed: boolean,
): Promise<number> {
  if (folder?.mode !== 'end' || before === undefined) return hasFailed ? exitCodes.failed : exitCodes.done;
  const changes = folder.filesystem.changesSince(before);
  const failure = hasFailed ? 'the server failed' : undefined;
  const application = await applyChanges({ failure, interruption: undefined, changes }, folder);
  for (const line of describeApplication(application)) say(line.replace(/\.$/, ''));
  switch (application.kind) {
    case 'applied': {
      const written = describeApplied(application);
      if (written !== undefined) say(`wrote ${written} to the folder`);
      for (const problem of await sessions.markApplied()) say(problem.replace(/\.$/, ''));
      return exitCodes.done;
    }
    case 'conflict':
      return exitCodes.conflict;
    default:
      if (changes.length > 0) say('nothing was written to the folder');
      return exitCodes.failed;
  }
}

/** Counts the calls of clients. */
class CallCounts {
  #calls = 0;
  #committed = 0;

  onEvent = (event: RunEvent): void => {
    if (event.type !== 'tool-call-end' || event.path.length > 0) return;
    this.#calls += 1;
    if (event.invocation.outcome === 'committed') this.#committed += 1;
  };

  text(): string {
    return `the server has ended after ${counted(this.#calls, 'call')}, ${this.#committed} of them committed`;
  }
}

/** The standard output, for the messages of the protocol. */
function writableOf(stream: OutputStream): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      stream.write(String(chunk));
      done();
    },
  });
}
