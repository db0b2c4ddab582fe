import type { OutputStream } from '../../../../../src/cli/process/environment.ts';

const escape = '\u001b';
const commandLength = '[2K'.length;

/** A terminal as far as the command writes to one: lines, line feeds, the start of a line, a line up, a line emptied. */
export class TerminalScreen implements OutputStream {
  readonly isTerminal = true;
  columns: number;
  readonly #lines: string[] = [''];
  #row = 0;
  #column = 0;
  /** What was written, one text for each time. */
  readonly commands: string[] = [];

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    if (text === '') return;
    this.commands.push(text);
    const [plain = '', ...commanded] = text.split(escape);
    for (const character of plain) this.#put(character);
    for (const part of commanded) {
      this.#put(part.slice(0, commandLength));
      for (const character of part.slice(commandLength)) this.#put(character);
    }
  }

  /** How often something was written. */
  get writes(): number {
    return this.commands.length;
  }

  /** The lines, without empty ones at the end. */
  get text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd();
  }

  #put(part: string): void {
    switch (part) {
      case '\r':
        this.#column = 0;
        return;
      case '\n':
        this.#row += 1;
        this.#column = 0;
        this.#lines[this.#row] ??= '';
        return;
      case '[2K':
        this.#lines[this.#row] = '';
        return;
      case '[1A':
        this.#row -= 1;
        return;
      default: {
        const line = (this.#lines[this.#row] ?? '').padEnd(this.#column);
        this.#lines[this.#row] = line.slice(0, this.#column) + part + line.slice(this.#column + part.length);
        this.#column += part.length;
      }
    }
  }
}

/** Timers that fire when they are told to, and the clock that they go by. */
export class ManualTimers {
  nowMs = 0;
  /** How long the machine has slept, and its timers with it. */
  sleepMs = 0;
  readonly #waiting = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  readonly now = (): number => this.nowMs + this.sleepMs;

  readonly after = (milliseconds: number, callback: () => void): (() => void) => {
    const timer = { atMs: this.nowMs + milliseconds, callback };
    this.#waiting.add(timer);
    return () => void this.#waiting.delete(timer);
  };

  get count(): number {
    return this.#waiting.size;
  }

  advance(milliseconds: number): void {
    const untilMs = this.nowMs + milliseconds;
    for (;;) {
      const [next] = [...this.#waiting]
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((left, right) => left.atMs - right.atMs);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.nowMs = next.atMs;
      next.callback();
    }
    this.nowMs = untilMs;
  }
}
