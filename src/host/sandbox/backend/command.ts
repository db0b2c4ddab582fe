import { SandboxError } from '../../../core/error/index.ts';
import { normalizePath } from '../../../core/filesystem/index.ts';
import { quoteText } from '../../../core/internal/index.ts';
import type { SandboxCommand } from './sandbox-backend.ts';

/** A command with all its options checked and set. */
export interface CheckedCommand {
  /** The program and its arguments; a script is run by `sh`. */
  readonly argv: readonly string[];
  /** Normalized. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | Uint8Array | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxOutputBytes: number;
  readonly onOutput: () => void;
}

/** The default of `maxOutputBytes`. */
export const defaultOutputBytes = 32_768;
const maxCommandBytes = 131_072;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Checks a command for any backend.
 * @throws {SandboxError} `sandbox-command-invalid`.
 */
export function checkCommand(backend: string, command: SandboxCommand): CheckedCommand {
  const refuse = (message: string): SandboxError =>
    new SandboxError('sandbox-command-invalid', message, { details: { backend } });
  const { timeoutMs, maxOutputBytes = defaultOutputBytes, env = {} } = command;
  const argv = typeof command.command === 'string' ? ['sh', '-c', command.command] : [...command.command];
  if (argv[0] === undefined || argv[0] === '' || command.command === '')
    throw refuse('The command is empty. Name a program, or pass a script for the shell.');
  if (argv.some((argument) => argument.includes('\0')))
    throw refuse('The command has a NUL character; remove it.');
  const commandBytes = argv.reduce((sum, argument) => sum + Buffer.byteLength(argument), 0);
  if (commandBytes > maxCommandBytes) {
    throw refuse(
      `The command has ${commandBytes} bytes; at most ${maxCommandBytes} are possible. Write a script file and run that.`,
    );
  }
  for (const [name, value] of Object.entries(env)) {
    if (!variableName.test(name))
      throw refuse(
        `${quoteText(name)} cannot be the name of an environment variable. Use letters, digits and "_".`,
      );
    if (value.includes('\0'))
      throw refuse(`The value of the environment variable ${name} has a NUL character; remove it.`);
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw refuse(`The option timeoutMs is ${timeoutMs}; it must be above 0.`);
  if (!Number.isSafeInteger(maxOutputBytes) || maxOutputBytes < 0)
    throw refuse(`The option maxOutputBytes is ${maxOutputBytes}; it must be a whole number of at least 0.`);
  return {
    argv,
    cwd: checkDirectory(command.cwd ?? '.', refuse),
    env,
    stdin: command.stdin,
    timeoutMs,
    maxOutputBytes,
    onOutput: command.onOutput ?? (() => undefined),
  };
}

function checkDirectory(cwd: string, refuse: (message: string) => SandboxError): string {
  try {
    return normalizePath(cwd);
  } catch {
    throw refuse(
      `The working directory ${quoteText(cwd)} is not a path in the workspace. Use a path from its root, such as "src".`,
    );
  }
}
