import type { Readable, Writable } from 'node:stream';
import { escapeInvisible, startOf } from '../../core/internal/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import { Child } from '../../host/index.ts';
import { inherited, valuesHidden } from '../mcp/index.ts';

/** What the SDK asks to be started. */
export interface ClaudeSpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A process as the SDK takes it. */
export interface ClaudeSpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  /** Sends a signal to it. */
  kill(signal: NodeJS.Signals): boolean;
  /** Listens to its end, or to a failed start. */
  on(event: 'exit' | 'error', listener: (...given: unknown[]) => void): void;
  /** Listens once. */
  once(event: 'exit' | 'error', listener: (...given: unknown[]) => void): void;
  /** Stops listening. */
  off(event: 'exit' | 'error', listener: (...given: unknown[]) => void): void;
}

/** How long a process may take to end after it was asked to. */
const stopMs = 2000;

/** How much of what a process writes to its standard error is logged. */
const maxErrorCharacters = 20_000;

/** The processes of one run, each the leader of a process group. */
export class ClaudeProcesses {
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #logger: Logger;
  readonly #running = new Set<Child>();
  #isKilled = false;

  constructor(clock: Pick<Clock, 'schedule'>, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Starts what the SDK asks for. */
  spawn({ args, command, cwd, env }: ClaudeSpawnRequest): ClaudeSpawnedProcess {
    const child = new Child(
      { command, args, cwd },
      { env, stdio: ['pipe', 'pipe', 'pipe'], group: 'traced', clock: this.#clock },
    );
    const redact = valuesHidden(env, [...plain, ...Object.keys(quiet), 'HOME', 'CLAUDE_CONFIG_DIR']);
    let logged = 0;
    child.pipe(2).on('data', (chunk: Buffer) => {
      if (logged >= maxErrorCharacters) return;
      const text = startOf(chunk.toString('utf8'), maxErrorCharacters - logged);
      logged += text.length;
      this.#logger.debug('Claude Code wrote to its standard error.', {
        text: escapeInvisible(redact(text.trimEnd())),
      });
    });
    this.#running.add(child);
    void child.ended.then(() => this.#running.delete(child));
    if (this.#isKilled) child.kill('SIGKILL');
    const { process } = child;
    return {
      stdin: child.pipe(0),
      stdout: child.pipe(1),
      get killed() {
        return process.killed;
      },
      get exitCode() {
        return process.exitCode;
      },
      get signalCode() {
        return process.signalCode;
      },
      kill: (signal) => child.kill(signal),
      on: (event, listener) => void process.on(event, listener),
      once: (event, listener) => void process.once(event, listener),
      off: (event, listener) => void process.off(event, listener),
    };
  }

  /** Kills the processes that run, with all that they have started, before they do anything more, and each that is started later. */
  kill(): void {
    this.#isKilled = true;
    for (const child of this.#running) child.kill('SIGKILL');
  }

  /** Ends the processes that run, with all that they have started. Resolves when they are gone. */
  async end(): Promise<void> {
    const running = [...this.#running];
    if (running.length === 0) return;
    for (const child of running) child.kill('SIGTERM');
    const cancel = this.#clock.schedule(stopMs, () => {
      for (const child of running) child.kill('SIGKILL');
    });
    await Promise.all(running.map(({ ended }) => ended));
    cancel();
  }
}

/** Where programs are, how to write texts and times, and the way to the provider. */
const plain: readonly string[] = [
  ...['PATH', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP'],
  ...['ANTHROPIC_BASE_URL', 'NO_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS'],
];

/** What the program needs of this process: these, its credentials, and proxies, whose addresses may have passwords. */
const passedOn: readonly string[] = [
  ...plain,
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'],
];

/** Nothing is sent but requests to the model, and nothing is updated. */
const quiet: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_AGENT_SDK_CLIENT_APP: 'weakincentives',
};

/**
 * The whole environment of Claude Code.
 *
 * @param home a private folder, so that neither settings nor sessions of the user are there.
 * @param named variables of the caller, which take precedence.
 */
export function claudeEnvironment(
  home: string,
  named: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...inherited(passedOn), HOME: home, CLAUDE_CONFIG_DIR: home, ...quiet, ...named };
}
