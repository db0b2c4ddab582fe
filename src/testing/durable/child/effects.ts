import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The world outside: what was done to it, a line for each time. */
export class Effects {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Adds a line to a log, in one write. */
  add(log: 'effects' | 'asked', line: string): void {
    appendFileSync(join(this.#folder, `${log}.log`), `${line}\n`);
  }

  /** Whether something was done before. */
  has(line: string): boolean {
    const file = join(this.#folder, 'effects.log');
    return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(line);
  }
}
