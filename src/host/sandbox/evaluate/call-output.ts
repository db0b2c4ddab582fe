import type { OutputWindow } from '../../process/output-window.ts';
import { outputWindow, sandboxOutput } from '../backend/output.ts';

/** What code prints, in the evaluator process: the beginning and the end of each output. */
export class CallOutput {
  readonly #stdout: OutputWindow;
  readonly #stderr: OutputWindow;

  constructor(maxOutputBytes: number) {
    this.#stdout = outputWindow(maxOutputBytes);
    this.#stderr = outputWindow(maxOutputBytes);
  }

  print(output: 'stdout' | 'stderr', text: string): void {
    (output === 'stdout' ? this.#stdout : this.#stderr).add(Buffer.from(text, 'utf8'));
  }

  get stdout(): string {
    return sandboxOutput(this.#stdout).text;
  }

  get stderr(): string {
    return sandboxOutput(this.#stderr).text;
  }
}
