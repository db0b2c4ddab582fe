import { OutputWindow } from '../../process/output-window.ts';
import type { CheckedCommand } from './command.ts';
import type { SandboxOutcome, SandboxOutput } from './sandbox-backend.ts';

/** The outputs of a command. */
type OutputName = 'stdout' | 'stderr';

/** What a command has written so far: of each output the beginning and the end, half of the bytes each. */
export class CommandOutputs {
  readonly #windows: Readonly<Record<OutputName, OutputWindow>>;
  readonly #onOutput: () => void;

  constructor({
    maxOutputBytes,
    onOutput = () => undefined,
  }: Pick<CheckedCommand, 'maxOutputBytes'> & Partial<Pick<CheckedCommand, 'onOutput'>>) {
    const headBytes = Math.ceil(maxOutputBytes / 2);
    const limits = { headBytes, tailBytes: maxOutputBytes - headBytes };
    this.#windows = { stdout: new OutputWindow(limits), stderr: new OutputWindow(limits) };
    this.#onOutput = onOutput;
  }

  add(name: OutputName, chunk: Uint8Array): void {
    this.#windows[name].add(chunk);
    this.#onOutput();
  }

  get stdout(): SandboxOutput {
    return outputOf(this.#windows.stdout);
  }

  get stderr(): SandboxOutput {
    return outputOf(this.#windows.stderr);
  }

  /** How the command ended. One that timed out has no exit code. */
  outcome(end: Omit<SandboxOutcome, OutputName>): SandboxOutcome {
    const { stdout, stderr } = this;
    return { ...end, exitCode: end.timedOut ? undefined : end.exitCode, stdout, stderr };
  }
}

function outputOf(window: OutputWindow): SandboxOutput {
  const { totalBytes, omittedBytes } = window;
  const text = window.text((omitted) => `\n[${omitted} of ${totalBytes} bytes omitted]\n`);
  return { text, totalBytes, omittedBytes };
}
