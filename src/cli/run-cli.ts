import { resolve } from 'node:path';
import { describeError, JournalError } from '../core/error/index.ts';
import type { ApprovalsRequest } from './commands/approvals.ts';
import { definitions } from './commands/command-tree.ts';
import { type CliRequest, readArguments } from './commands/read-arguments.ts';
import { withGivenTexts } from './options/given-texts.ts';
import { type CliEnvironment, CliInterruption, exitCodes, unlessAborted } from './process/environment.ts';
import { isOfLaterVersion, UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { StrayError } from './process/stray-error.ts';
import type { runCommand } from './run-command.ts';

/**
 * Runs the command line. Never throws: every error is one line on the error output. With `--verbose` or `WINK_DEBUG` the
 * stack follows.
 * @returns the exit code of the process.
 */
export async function runCli(
  argv: readonly string[],
  environment: CliEnvironment,
  run?: typeof runCommand,
): Promise<number> {
  const { stderr, variables } = environment;
  let read: ReadRequest;
  try {
    read = await requestOf(argv, environment);
  } catch (error) {
    if (error instanceof CliInterruption) return interrupted(error, environment);
    throw error;
  }
  const { request, texts } = read;
  const isVerbose = ('isVerbose' in request && request.isVerbose) || (variables['WINK_DEBUG'] ?? '') !== '';
  const code = await carryOut(request, { argv, texts, environment, run, isVerbose });
  const strays = await environment.takeStrays();
  if (strays.length > 0) {
    const { hostRedact } = await import('./process/redact.ts');
    const clean = hostRedact({}, { variables, secretNames: secretNamesOf(request) });
    for (const stray of strays) {
      stderr.write(`wink: ${printable(clean(stray.message))}.\n`);
      if (isVerbose) stderr.write(clean(stacksOf(stray.cause)));
    }
  }
  // The result of a run is already written and contains the exit code.
  return strays.length > 0 && request.kind === 'prompt' && code === exitCodes.done ? exitCodes.failed : code;
}

/** A command line that was read. */
interface ReadRequest {
  readonly request: CliRequest;
  /** The files that its texts are from. */
  readonly texts: readonly string[];
}

/** What the command line asks for, with texts of files and of the standard input. Rejects with what the signal was aborted with. */
async function requestOf(argv: readonly string[], environment: CliEnvironment): Promise<ReadRequest> {
  const { columns } = environment.stdout;
  try {
    const { argv: words, files, isInputRead } = await withGivenTexts(argv, environment);
    const request = readArguments(words, { columns });
    if (request.kind === 'run' && request.isWatched && isInputRead)
      throw new UsageError(
        '--watch runs again and again, and the standard input can be read once: name a file with --input @FILE.',
      );
    return { request, texts: files };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const command = definitions.has(argv[0] ?? '') ? argv[0] : undefined;
    return { request: { kind: 'usage-error', message: error.message, command }, texts: [] };
  }
}

function interrupted({ kind, exitCode }: CliInterruption, { stderr }: CliEnvironment): number {
  if (kind !== 'output-closed') stderr.write(`wink: ${kind}.\n`);
  return exitCode;
}

/** Commands are imported when they are selected: help and version do not need the library. */
const commands = {
  init: async () => (await import('./init/init-command.ts')).initCommand,
  run: async () => (await import('./run-command.ts')).runCommand,
  doctor: async () => (await import('./doctor/doctor-command.ts')).doctorCommand,
  resume: async () => (await import('./resume-command.ts')).resumeCommand,
  fork: async () => (await import('./fork-command.ts')).forkCommand,
  rewind: async () => (await import('./runs/rewind-command.ts')).rewindCommand,
  runs: async () => (await import('./runs/runs-command.ts')).runsCommand,
  say: async () => (await import('./runs/say-command.ts')).sayCommand,
  records: async () => (await import('./runs/records-command.ts')).recordsCommand,
  once: async () => (await import('./runs/once-command.ts')).onceCommand,
  budgets: async () => (await import('./runs/budgets-command.ts')).budgetsCommand,
  approvals: async () => {
    const { approvalsCommand } = await import('./runs/approvals-command.ts');
    return (request: ApprovalsRequest, environment: CliEnvironment) =>
      approvalsCommand(request, environment, {
        resume: async (next) => (await import('./resume-command.ts')).resumeCommand(next, environment),
      });
  },
  journal: async () => (await import('./runs/journal-command.ts')).journalCommand,
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  worker: async () => (await import('./worker/worker-command.ts')).workerCommand,
  submit: async () => (await import('./worker/submit-command.ts')).submitCommand,
  prompt: async () => (await import('./prompt/prompt-command.ts')).promptCommand,
  replay: async () => (await import('./replay/replay-command.ts')).replayCommand,
  query: async () => (await import('./query/query-command.ts')).queryCommand,
  complete: async () => (await import('./complete/complete-command.ts')).completeCommand,
  view: async () => (await import('./view/view-command.ts')).viewCommand,
};

/** Commands that have nothing to end in order: they end with the signal. */
const abandoned: ReadonlySet<string> = new Set([
  'init',
  'doctor',
  'rewind',
  'runs',
  'say',
  'records',
  'complete',
  'once',
  'budgets',
  'approvals',
  'journal',
  'prompt',
  'replay',
]);

/** What a command does, by the name of the one that does that alone. */
function workOf(request: CliRequest): CliRequest['kind'] {
  const isResumed =
    request.kind === 'approvals' && request.action === 'answer' && request.resume !== undefined;
  return isResumed ? 'resume' : request.kind;
}

/** A request that a command answers. */
type CommandRequest = Extract<CliRequest, { readonly kind: keyof typeof commands }>;

async function answer(request: CommandRequest, environment: CliEnvironment): Promise<number> {
  // The table has the command of this kind of request under its name.
  const command = (await commands[request.kind]()) as (
    request: CommandRequest,
    environment: CliEnvironment,
  ) => Promise<number>;
  return command(request, environment);
}

interface CarryOutOptions {
  readonly argv: readonly string[];
  /** See {@link ReadRequest}. */
  readonly texts: readonly string[];
  readonly environment: CliEnvironment;
  readonly run: typeof runCommand | undefined;
  readonly isVerbose: boolean;
}

async function carryOut(
  request: CliRequest,
  { argv, texts, environment: given, run, isVerbose }: CarryOutOptions,
): Promise<number> {
  const { stdout, stderr, version } = given;
  try {
    const work = workOf(request);
    const environment = whileRead(await withNamed(given, secretNamesOf(request)), work);
    switch (request.kind) {
      case 'help':
        (request.isError ? stderr : stdout).write(request.text);
        return request.isError ? exitCodes.usage : exitCodes.done;
      case 'version':
        stdout.write(`${version}\n`);
        return exitCodes.done;
      case 'usage-error':
        stderr.write(
          `wink: ${printable(request.message)} See wink ${request.command === undefined ? 'help' : `${request.command} --help`}.\n`,
        );
        if (argv[0] === 'serve' && !argv.includes('--http')) await refuse(request.message, environment);
        return exitCodes.usage;
      case 'run':
        if (request.isWatched) {
          const { watchCommand } = await import('./watch/watch-command.ts');
          return await watchCommand({ request, argv, texts }, environment);
        }
        return await (run === undefined ? answer(request, environment) : run(request, environment));
      default:
        return await (abandoned.has(work)
          ? unlessAborted(answer(request, environment), environment.signal)
          : answer(request, environment));
    }
  } catch (error) {
    if (error instanceof CliInterruption) return interrupted(error, given);
    if (error instanceof StrayError) return exitCodes.failed;
    // One of a later version is read with that version, by any command.
    const isUsage = error instanceof UsageError || isOfLaterVersion(error);
    // What a journal says of itself, or of where its long rows are.
    const isExpected = isUsage || JournalError.isInstance(error);
    const { hostRedact } = await import('./process/redact.ts');
    // Paths say what the error is about.
    const hiding = { ...given, secretNames: secretNamesOf(request) };
    const clean = hostRedact({ workingFolder: '', home: '' }, hiding);
    stderr.write(
      `wink: ${isUsage ? clean(error.message) : `${isExpected ? '' : 'unexpected error: '}${printable(clean(describeError(error)))}`}\n`,
    );
    if (isVerbose) stderr.write(clean(stacksOf(error)));
    if (request.kind === 'serve' && request.port === undefined) {
      await refuse(isUsage ? error.message : unexpected, hiding, request.workspace);
    }
    return isExpected ? exitCodes.usage : exitCodes.failed;
  }
}

/** What may hold anything is for the error output alone. */
const unexpected = 'an unexpected error. The error output says more.';

/** Answers the client that has started "wink serve", and would see only that its server has ended. */
async function refuse(message: string, environment: CliEnvironment, workspace?: string): Promise<void> {
  if (environment.input === undefined) return;
  const [{ hostRedact }, { refuseClient }] = await Promise.all([
    import('./process/redact.ts'),
    import('./serve/refuse-client.ts'),
  ]);
  const clean = hostRedact({ workspace: resolve(workspace ?? '.') }, environment);
  await refuseClient(environment, `wink serve did not start: ${printable(clean(message))}`);
}

/** Commands that continue until they are stopped, also by a reader of their output that leaves. */
const stopped: ReadonlySet<string> = new Set(['run', 'resume', 'fork', 'serve', 'worker', 'view']);

/** The environment of a command: for one that only reports, a reader that leaves (`| head`) is not a reason to end, and does not change its exit code. */
function whileRead(environment: CliEnvironment, kind: CliRequest['kind']): CliEnvironment {
  if (stopped.has(kind)) return environment;
  const { signal } = environment;
  const own = new AbortController();
  const pass = (): void => {
    const { reason } = signal;
    if (!(reason instanceof CliInterruption && reason.kind === 'output-closed')) own.abort(reason);
  };
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass);
  return { ...environment, signal: own.signal };
}

/** What `--redact` names. */
function secretNamesOf(request: CliRequest): readonly string[] {
  return ('redact' in request ? request.redact : undefined) ?? [];
}

/** @throws {UsageError} for a name that cannot be hidden. */
async function withNamed(environment: CliEnvironment, names: readonly string[]): Promise<CliEnvironment> {
  if (names.length === 0) return environment;
  const { withSecretNames } = await import('./process/redact.ts');
  return withSecretNames(environment, names, '--redact');
}

/** The stack of an error and of its causes. */
function stacksOf(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < 5; cause = cause.cause) {
    stacks.push(cause.stack ?? String(cause));
  }
  return stacks.map((stack) => `${stack}\n`).join('');
}
