import { describeError } from '../error/index.ts';
import { readArguments } from './arguments.ts';
import { type CliEnvironment, EXIT } from './environment.ts';
import { HELP } from './help.ts';
import { printable } from './plain-text.ts';
import { promptCommand } from './prompt/prompt-command.ts';
import { runCommand } from './run-command.ts';
import { UsageError } from './usage-error.ts';

/**
 * Runs the command line. Never throws: whatever goes wrong is one line on the error output. With `--verbose`, or
 * `WINK_DEBUG` set, the stack follows.
 * @returns the exit code of the process.
 */
export async function runCli(
  argv: readonly string[],
  environment: CliEnvironment,
  run: typeof runCommand = runCommand,
): Promise<number> {
  const { stdout, stderr, version, variables } = environment;
  const request = readArguments(argv);
  try {
    switch (request.kind) {
      case 'help':
        stdout.write(HELP);
        return EXIT.done;
      case 'version':
        stdout.write(`${version}\n`);
        return EXIT.done;
      case 'usage-error':
        stderr.write(`wink: ${printable(request.message)} See wink --help.\n`);
        return EXIT.usage;
      case 'run':
        return await run(request, environment);
      case 'prompt':
        return await promptCommand(request, environment);
    }
  } catch (error) {
    const isUsage = error instanceof UsageError;
    stderr.write(
      `wink: ${isUsage ? error.message : `unforeseen error: ${printable(describeError(error))}`}\n`,
    );
    const isVerbose = ('isVerbose' in request && request.isVerbose) || (variables['WINK_DEBUG'] ?? '') !== '';
    if (isVerbose) stderr.write(stacksOf(error));
    return isUsage ? EXIT.usage : EXIT.failed;
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
