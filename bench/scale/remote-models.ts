import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One request to a model; it resolves when the answer is there. */
export type Ask = () => Promise<void>;

/** How many connections wait at a time to be accepted: the system queues a limited number. */
const openedAtOnce = 100;

/**
 * Models of many conversations at once, each with a connection of its own to another process, so that answers come as those of a provider do:
 * by I/O and not by a timer of this process. It notes how long each conversation takes from an answer to its next request.
 */
export class RemoteModels implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #sockets: readonly Socket[];
  #overheadsMs: number[] = [];

  private constructor(folder: string, process: ChildProcess, sockets: readonly Socket[]) {
    this.#folder = folder;
    this.#process = process;
    this.#sockets = sockets;
  }

  /** @param thinkMs how long a model takes for an answer */
  static async open(count: number, thinkMs: number): Promise<RemoteModels> {
    const folder = mkdtempSync(join(tmpdir(), 'wink-bench-'));
    const path = join(folder, 'model');
    const program = fileURLToPath(new URL('answering-model.js', import.meta.url));
    const process_ = spawn(process.execPath, [program, JSON.stringify({ path, thinkMs })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(process_.stdout, 'data');
    const sockets: Socket[] = [];
    while (sockets.length < count) {
      const some = Array.from({ length: Math.min(openedAtOnce, count - sockets.length) }, () =>
        connect(path),
      );
      await Promise.all(some.map((socket) => once(socket, 'data')));
      sockets.push(...some);
    }
    return new RemoteModels(folder, process_, sockets);
  }

  /** One conversation for each of the first connections, and no times of those before. */
  begin(count: number): readonly Ask[] {
    this.#overheadsMs = [];
    return this.#sockets.slice(0, count).map((socket) => this.#follow(socket));
  }

  /** From an answer to the next request of the same conversation, in ms: what the runtime takes for a step. */
  overheadMs(percent: number): number {
    const sorted = this.#overheadsMs.sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#process.kill();
    await once(this.#process, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #follow(socket: Socket): Ask {
    const overheadsMs = this.#overheadsMs;
    let answeredAtMs: number | undefined;
    let answered = (): void => undefined;
    socket.removeAllListeners('data').on('data', () => {
      answeredAtMs = performance.now();
      answered();
    });
    return () => {
      if (answeredAtMs !== undefined) overheadsMs.push(performance.now() - answeredAtMs);
      socket.write('?');
      return new Promise((resolve) => {
        answered = resolve;
      });
    };
  }
}
