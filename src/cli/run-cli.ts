import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { describeError } from '../core/error/index.ts';
import type { ApprovalsRequest } from './approvals/approvals-arguments.ts';
import { type CliRequest, readArguments } from './arguments.ts';
import type { ResumeRequest } from './durable/resume-arguments.ts';
import type { ForkRequest } from './fork/fork-arguments.ts';
import { helpText } from './help.ts';
import { type CliEnvironment, CliInterruption, exitCodes, unlessAborted } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import { printable } from './process/plain-text.ts';
import { StrayError } from './process/stray-error.ts';
import type { PromptRequest } from './prompt/prompt-arguments.ts';
import type { QueryHelpRequest, QueryRequest } from './query/query-arguments.ts';
import type { ReplayRequest } from './replay/replay-arguments.ts';
import type { RewindRequest } from './rewind/rewind-arguments.ts';
import type { runCommand } from './run-command.ts';
import type { RunsRequest } from './runs/runs-arguments.ts';
import type { ServeRequest } from './serve/serve-arguments.ts';
import type { ViewRequest } from './view/view-arguments.ts';

/**
 * Runs the command line. Never throws: every error is one line on the error output. With `--verbose` or `WINK_DEBUG` the
 * stack follows.
 * @returns the exit code of the process.
 */
export async function runCli(
  argv: readonly string[],
  environment: CliEnvironment,
  run: typeof runCommand = loadAndRun,
): Promise<number> {
  const { stderr, variables } = environment;
  const request = readArguments(argv);
  const isVerbose = ('isVerbose' in request && request.isVerbose) || (variables['WINK_DEBUG'] ?? '') !== '';
  const code = await carryOut(request, environment, run, isVerbose);
  const strays = await environment.takeStrays();
  if (strays.length > 0) {
    const { hostRedact } = await import('./run/redact.ts');
    const clean = hostRedact(
      { workspace: undefined, agentFolder: undefined, workingFolder: resolve('.'), home: homedir() },
      variables,
    );
    for (const stray of strays) {
      stderr.write(`wink: ${printable(clean(stray.message))}.\n`);
      if (isVerbose) stderr.write(clean(stacksOf(stray.cause)));
    }
  }
  // The result of a run is already written and contains the exit code.
  return strays.length > 0 && request.kind === 'prompt' && code === exitCodes.done ? exitCodes.failed : code;
}

/** Commands are imported when they are selected: help and version do not need the library. */
const loadAndRun: typeof runCommand = async (request, environment, parts) => {
  const { runCommand: run } = await import('./run-command.ts');
  return run(request, environment, parts);
};

async function loadAndPrompt(request: PromptRequest, environment: CliEnvironment): Promise<number> {
  const { promptCommand } = await import('./prompt/prompt-command.ts');
  return promptCommand(request, environment);
}

async function loadAndView(request: ViewRequest, environment: CliEnvironment): Promise<number> {
  const { viewCommand } = await import('./view/view-command.ts');
  return viewCommand(request, environment);
}

async function loadAndReplay(request: ReplayRequest, environment: CliEnvironment): Promise<number> {
  const { replayCommand } = await import('./replay/replay-command.ts');
  return replayCommand(request, environment);
}

async function loadAndQuery(
  request: QueryRequest | QueryHelpRequest,
  environment: CliEnvironment,
): Promise<number> {
  const { queryCommand } = await import('./query/query-command.ts');
  return queryCommand(request, environment);
}

async function loadAndResume(request: ResumeRequest, environment: CliEnvironment): Promise<number> {
  const { resumeCommand } = await import('./resume-command.ts');
  return resumeCommand(request, environment);
}

async function loadAndFork(request: ForkRequest, environment: CliEnvironment): Promise<number> {
  const { forkCommand } = await import('./fork-command.ts');
  return forkCommand(request, environment);
}

async function loadAndRewind(request: RewindRequest, environment: CliEnvironment): Promise<number> {
  const { rewindCommand } = await import('./rewind/rewind-command.ts');
  return rewindCommand(request, environment);
}

async function loadAndListRuns(request: RunsRequest, environment: CliEnvironment): Promise<number> {
  const { runsCommand } = await import('./runs/runs-command.ts');
  return runsCommand(request, environment);
}

async function loadAndAnswer(request: ApprovalsRequest, environment: CliEnvironment): Promise<number> {
  const { approvalsCommand } = await import('./approvals/approvals-command.ts');
  return approvalsCommand(request, environment);
}

async function loadAndServe(request: ServeRequest, environment: CliEnvironment): Promise<number> {
  const { serveCommand } = await import('./serve-command.ts');
  return serveCommand(request, environment);
}

async function carryOut(
  request: CliRequest,
  environment: CliEnvironment,
  run: typeof runCommand,
  isVerbose: boolean,
): Promise<number> {
  const { stdout, stderr, version } = environment;
  try {
    switch (request.kind) {
      case 'help':
        stdout.write(helpText);
        return exitCodes.done;
      case 'version':
        stdout.write(`${version}\n`);
        return exitCodes.done;
      case 'usage-error':
        stderr.write(`wink: ${printable(request.message)} See wink --help.\n`);
        return exitCodes.usage;
      case 'run':
        return await run(request, environment);
      case 'resume':
        return await loadAndResume(request, environment);
      case 'fork':
        return await loadAndFork(request, environment);
      case 'rewind':
        return await unlessAborted(loadAndRewind(request, environment), environment.signal);
      case 'runs':
        return await unlessAborted(loadAndListRuns(request, environment), environment.signal);
      case 'approvals':
        return await unlessAborted(loadAndAnswer(request, environment), environment.signal);
      case 'serve':
        return await loadAndServe(request, environment);
      case 'prompt':
        return await unlessAborted(loadAndPrompt(request, environment), environment.signal);
      case 'replay':
        return await unlessAborted(loadAndReplay(request, environment), environment.signal);
      case 'query':
      case 'query-help':
        return await loadAndQuery(request, environment);
      case 'view':
        return await loadAndView(request, environment);
    }
  } catch (error) {
    if (error instanceof CliInterruption) {
      if (error.kind !== 'output-closed') stderr.write(`wink: ${error.kind}.\n`);
      return error.exitCode;
    }
    if (error instanceof StrayError) return exitCodes.failed;
    const isUsage = error instanceof UsageError;
    stderr.write(
      `wink: ${isUsage ? error.message : `unexpected error: ${printable(describeError(error))}`}\n`,
    );
    if (isVerbose) stderr.write(stacksOf(error));
    return isUsage ? exitCodes.usage : exitCodes.failed;
  }
}

/** The stack of an error and of its causes. */
function stacksOf(error: unknown): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < 5; cause = cause.cause) {
    stacks.push(cause.stack ?? String(cause));
  }
  return stacks.map((stack) => `${stack}\n`).join('');
}
