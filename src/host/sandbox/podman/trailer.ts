/** What the first process of a container reports. */
export type ContainerReport =
  | { readonly kind: 'ended'; readonly exitCode: number; readonly killedProcesses: number }
  | { readonly kind: 'missing-directory' }
  /** It was killed, so there is no report. */
  | { readonly kind: 'none' };

/** More than the longest trailer. */
const maxTrailerBytes = 64;

/** Separates the trailer of the first process from the error output of a command, however it arrives in pieces. */
export class TrailerReader {
  readonly #nonce: string;
  readonly #receive: (chunk: Uint8Array) => void;
  #held = Buffer.alloc(0);

  /** @param nonce what the trailer begins with, besides a NUL character. */
  constructor(nonce: string, receive: (chunk: Uint8Array) => void) {
    this.#nonce = nonce;
    this.#receive = receive;
  }

  add(chunk: Uint8Array): void {
    const all = Buffer.concat([this.#held, chunk]);
    const end = Math.max(0, all.length - maxTrailerBytes);
    if (end > 0) this.#receive(all.subarray(0, end));
    this.#held = all.subarray(end);
  }

  /** Passes on what is left of the output, and returns the report. */
  end(): ContainerReport {
    const start = this.#held.lastIndexOf(`\0${this.#nonce}:`);
    const report = start === -1 ? undefined : this.#report(this.#held.toString('latin1', start));
    const output = report === undefined ? this.#held : this.#held.subarray(0, start);
    if (output.length > 0) this.#receive(output);
    this.#held = Buffer.alloc(0);
    return report ?? { kind: 'none' };
  }

  #report(trailer: string): ContainerReport | undefined {
    const text = trailer.slice(this.#nonce.length + 2);
    if (text === 'missing\n') return { kind: 'missing-directory' };
    const [, killed, exitCode] = /^(\d{1,9}):(\d{1,3})\n$/.exec(text) ?? [];
    if (killed === undefined || exitCode === undefined) return undefined;
    return { kind: 'ended', exitCode: Number(exitCode), killedProcesses: Number(killed) };
  }
}
