import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../process/child.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { RemoteCalls, type RemoteFunctions } from './remote-calls.ts';

/** How a process is started. */
export interface RemoteProcessOptions {
  /** A module of Node. */
  readonly program: URL;
  readonly args: readonly string[];
  readonly nodeArgs: readonly string[];
  /** A longer message ends the process. */
  readonly maxMessageBytes: number;
}

/**
 * A process of Node whose functions are called over its standard streams; it can call none of ours. What it sends is not trusted: a message
 * that nothing waits for ends it. It keeps this process running only while a call is open or its end is waited for, and has a last pipe that closes when this
 * process ends, in whatever way.
 */
export class RemoteProcess<Theirs extends RemoteFunctions<keyof Theirs>> {
  readonly #child: Child;
  readonly #calls: RemoteCalls<Theirs>;
  readonly #ended: Promise<void>;
  #isBusy = false;
  #kills = 0;
  #isUsable = true;
  #failure: unknown;
  readonly call: RemoteCalls<Theirs>['call'];

  /** @throws what the system throws when no process can be started. */
  constructor({ program, args, nodeArgs, maxMessageBytes }: RemoteProcessOptions) {
    const file = fileURLToPath(program);
    const child = new Child(
      { command: process.execPath, args: [...nodeArgs, file, ...args], cwd: dirname(file) },
      { env: {}, stdio: ['pipe', 'pipe', 'ignore', 'pipe'] },
    );
    this.#child = child;
    this.#calls = new RemoteCalls({
      send: (message) => void child.pipe(0).write(encodeFrame(message)),
      // Its words are not passed on.
      unpack: () => new Error('The process has refused the call.'),
      onBusy: (isBusy) => {
        this.#isBusy = isBusy;
        this.#hold();
      },
    });
    this.call = this.#calls.call.bind(this.#calls);
    const fail = (error: unknown): void => {
      this.#isUsable = false;
      this.#failure ??= error;
      child.kill('SIGKILL');
    };
    for (const descriptor of [0, 1, 3]) child.pipe(descriptor).on('error', fail);
    const frames = new FrameReader(maxMessageBytes);
    child.pipe(1).on('data', (chunk: Buffer) => {
      if (!this.#isUsable) return;
      try {
        for (const message of frames.push(chunk))
          if (!this.#calls.receive(message)) throw new Error('The process has sent what nothing waits for.');
      } catch (error) {
        fail(error);
      }
    });
    this.#ended = child.ended.then(({ exitCode, signal, failure }) => {
      const how = signal === undefined ? `ended with code ${exitCode}` : `was ended by ${signal}`;
      this.#failure ??= failure ?? new Error(`The process ${how}.`);
      this.#isUsable = false;
      this.#calls.end(this.#failure);
    });
    this.#hold();
  }

  /** Whether it takes further calls. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** Why it ended, where that is known. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Ends the process at once; open calls reject then. Settles when it has ended; never rejects. */
  async kill(): Promise<void> {
    this.#isUsable = false;
    this.#child.kill('SIGKILL');
    this.#kills += 1;
    this.#hold();
    await this.#ended;
    this.#kills -= 1;
    this.#hold();
  }

  #hold(): void {
    this.#child.hold(this.#isBusy || this.#kills > 0);
  }
}
