import { type AnyAgent, MemoryFilesystem } from 'weakincentives';
import type { CommandParts } from '../../../src/cli/agent/command-parts.ts';
import type { LoadedAgent } from '../../../src/cli/agent/load-agent.ts';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import type { OpenedFolder } from '../../../src/cli/folder/open-folder.ts';
import type { RunRequest } from '../../../src/cli/options/run-task.ts';
import type { CliEnvironment, OutputStream } from '../../../src/cli/process/environment.ts';
import { CallConflicts } from '../../../src/host/run-workspace/call-conflicts.ts';

/** Files by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** An output that keeps what was written. */
export interface CapturedStream extends OutputStream {
  readonly text: () => string;
}

export function capturedStream(options: { isTerminal?: boolean; columns?: number } = {}): CapturedStream {
  let written = '';
  return {
    write: (text) => {
      written += text;
    },
    isTerminal: options.isTerminal ?? false,
    columns: options.columns,
    text: () => written,
  };
}

export interface FakeEnvironment extends CliEnvironment {
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
}

/** An environment without a process. Its clock advances by one millisecond per look. */
export function fakeEnvironment(options: Partial<FakeEnvironment> = {}): FakeEnvironment {
  let time = 0;
  return {
    stdout: capturedStream(),
    stderr: capturedStream(),
    ask: undefined,
    input: undefined,
    variables: {},
    version: '1.2.3',
    packageFolder: new URL('../../../', import.meta.url),
    signal: new AbortController().signal,
    now: () => time++,
    takeStrays: async () => [],
    after: () => () => undefined,
    onOtherOutput: () => () => undefined,
    ...options,
  };
}

/** A folder in memory, as `openFolder` would have opened it. */
export function openedFolder(files: Files): OpenedFolder {
  return {
    name: 'demo',
    hostPath: 'demo',
    filesystem: new MemoryFilesystem({ files }),
    mode: undefined,
    held: undefined,
    callConflicts: new CallConflicts(),
    leftOutNames: [],
    notes: [],
    pending: [],
    close: async () => undefined,
  };
}

/** An agent as a file brings it. */
export function ofAgent(agent: AnyAgent): LoadedAgent {
  return { agent, folder: '/agents' };
}

/** The request of a command line. */
export function request(...argv: readonly string[]): RunRequest {
  const read = readArguments(argv);
  if (read.kind !== 'run') throw new Error(`no run: ${JSON.stringify(read)}`);
  return read;
}

/** The parts of a run that the tests replace: the loaded agent and its folder. */
export function parts(
  loaded: LoadedAgent,
  files: Files = {},
  more: Partial<CommandParts> = {},
): Partial<CommandParts> {
  return {
    load: async () => loaded,
    open: async () => openedFolder(files),
    ...more,
  };
}

/** The lines of a stream of events. */
export function eventsOf(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line): Record<string, unknown> => JSON.parse(line));
}
