import { endOf, formatNumber, isRecord, startOf } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ToolResultItem } from '../../../core/tool/index.ts';
import type { ProviderCall, ProviderCallContext } from './provider-tool-codec.ts';

/** What a shell call asks for, as far as it is read. */
export interface ShellAction {
  readonly commands: unknown;
  /** Milliseconds for each command. */
  readonly timeoutMs: unknown;
}

/** How a command ended, and what it printed. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined: it took too long. */
  readonly exitCode: number | undefined;
}

/** The exit code of a shell for a command that it cannot run. */
const notRun = 126;
/** The exit code of a shell for a command that SIGKILL has ended. */
const killed = 137;

/** One call of the tool for each command, in their order. */
export function shellCalls(
  { commands, timeoutMs }: ShellAction,
  { tool, toolNamed }: ProviderCallContext,
): readonly ProviderCall[] {
  const [name = ''] = tool.uses;
  if (!Array.isArray(commands) || commands.length === 0 || !commands.every(isText)) {
    const problem =
      'Nothing was run: "commands" must be a list of at least one command, each a text that is not empty.';
    return [{ name, arguments: {}, problem }];
  }
  const timeout = timeoutArgument(timeoutMs, toolNamed(name)?.inputSchema);
  return commands.map((command: string) => ({ name, arguments: { command, ...timeout } }));
}

function isText(command: unknown): boolean {
  return typeof command === 'string' && command !== '';
}

/** The time of a command, at most what the tool takes. */
function timeoutArgument(timeoutMs: unknown, schema: JsonObject | undefined): JsonObject {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) return {};
  const { timeout_seconds: field } = asObject(schema?.['properties']);
  const { maximum } = asObject(field);
  const seconds = timeoutMs / 1000;
  return { timeout_seconds: typeof maximum === 'number' ? Math.min(seconds, maximum) : seconds };
}

function asObject(value: unknown): JsonObject {
  return isSchemaObject(value) ? value : {};
}

/** The outputs of the commands of one call. @param maxCharacters of both outputs of a command together; undefined: as they are. */
export function shellOutputs(
  results: readonly ToolResultItem[],
  maxCharacters: unknown,
): readonly ShellOutput[] {
  return results.map((result) => fitted(outputOf(result), maxCharacters));
}

/** From the value of the result; a call that was not run has none. */
function outputOf({ feedback, isError, text, value }: ToolResultItem): ShellOutput {
  if (!isRecord(value))
    return isError
      ? { stdout: '', stderr: text, exitCode: notRun }
      : { stdout: text, stderr: '', exitCode: 0 };
  const { exit_code: code, notes, stderr = '', stdout, timed_out: timedOut } = value;
  const exitCode = typeof code === 'number' ? code : undefined;
  const isKilled = exitCode === undefined && timedOut !== true;
  // The text of a result that was shortened takes the place of what it printed, and has the feedback.
  const whole = typeof stdout === 'string' && typeof stderr === 'string';
  const said = [
    ...(isKilled ? [firstLine(text)] : []),
    ...(Array.isArray(notes) ? notes.map(String) : []),
    ...(whole && feedback !== undefined ? [feedback] : []),
  ];
  return {
    stdout: whole ? stdout : text,
    stderr: withLines(whole ? stderr : '', said),
    exitCode: timedOut === true ? undefined : (exitCode ?? killed),
  };
}

function firstLine(text: string): string {
  const end = text.indexOf('\n');
  return end === -1 ? text : text.slice(0, end);
}

function withLines(text: string, lines: readonly string[]): string {
  if (lines.length === 0) return text;
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${start}${lines.join('\n')}\n`;
}

function fitted(output: ShellOutput, maxCharacters: unknown): ShellOutput {
  const { stdout, stderr } = output;
  if (typeof maxCharacters !== 'number' || !(maxCharacters >= 0)) return output;
  const room = Math.floor(maxCharacters);
  if (stdout.length + stderr.length <= room) return output;
  const errors = shortened(stderr, Math.max(Math.floor(room / 2), room - stdout.length));
  return { ...output, stdout: shortened(stdout, room - errors.length), stderr: errors };
}

/** The text without its middle, where it is longer. */
function shortened(text: string, room: number): string {
  if (text.length <= room) return text;
  const note = `\n[${formatNumber(text.length - room)} characters and more are left out here]\n`;
  const left = room - note.length;
  if (left < 2) return startOf(text, room);
  return `${startOf(text, Math.ceil(left / 2))}${note}${endOf(text, Math.floor(left / 2))}`;
}
