import { setTimeout as sleep } from 'node:timers/promises';
import { answerText, argumentText, type CountInput, type CountOutput } from './count-tool.ts';
import { countCalls, type Workload } from './workload.ts';

/** A call that the model asks for. */
export interface Call {
  readonly id: string;
  /** The arguments, as a model writes them. */
  readonly text: string;
}

/** What a fake model reads in the conversation when it ends it. */
export interface Seen {
  readonly results: number;
  /** Number of results that reported a failed call. */
  readonly failures: number;
}

/**
 * What the systems have in common: what their model says and what their tool does, with a look at whether all of it
 * happened. The tool and the model of a system are made once and use its stage; each run begins the stage anew.
 */
export class Stage {
  #workload: Workload = { kind: 'loop', steps: 0 };
  #endMs = Number.POSITIVE_INFINITY;
  #asked = 0;
  #counted = 0;
  #thrown = 0;
  #seen: Seen | undefined;

  /** @param endMs when the model stops asking, by `performance.now()`: what comes too late for the limit is cut off */
  begin(workload: Workload, endMs: number): void {
    this.#workload = workload;
    this.#endMs = endMs;
    this.#asked = 0;
    this.#counted = 0;
    this.#thrown = 0;
    this.#seen = undefined;
  }

  /** The calls of the model's next turn; none: it says `answerText`. It takes no longer late in a run than early. */
  ask(): readonly Call[] {
    const workload = this.#workload;
    if (workload.kind === 'parallel') {
      if (this.#asked > 0) return [];
      return Array.from({ length: workload.calls }, () => this.#nextCall());
    }
    if (this.#asked >= workload.steps) return [];
    if (this.#asked % 16 === 0 && this.#asked > 0 && performance.now() > this.#endMs) return [];
    return [this.#nextCall()];
  }

  /** Told by the model in its last turn, so that it is known that results reach it. */
  see(seen: Seen): void {
    this.#seen = seen;
  }

  /** What the tool comes to. */
  count({ id, count }: CountInput): CountOutput {
    this.#counted += 1;
    return { id, total: count + 1 };
  }

  /** What the tool does behind its work: waiting or throwing, when the workload is of that kind. */
  finish(): Promise<void> | undefined {
    const workload = this.#workload;
    if (workload.kind === 'parallel') return workload.sleepMs > 0 ? sleep(workload.sleepMs) : undefined;
    if (workload.kind !== 'failing' || this.#counted % 2 === 1) return undefined;
    this.#thrown += 1;
    throw new Error('This call fails.');
  }

  /** The work and what is behind it, for systems whose tools just return a value. */
  async run(input: CountInput): Promise<CountOutput> {
    const output = this.count(input);
    await this.finish();
    return output;
  }

  /**
   * Ends a run.
   *
   * @returns how many calls there were; fewer than in the workload when the time was over
   * @throws {Error} when something is missing: then what was measured is not the work
   */
  end(text: string): number {
    const asked = this.#asked;
    const seen = this.#seen;
    if (text !== answerText) throw new Error(`The run ended with "${text}".`);
    if (asked < countCalls(this.#workload) && performance.now() <= this.#endMs) {
      throw new Error(`The model was asked for ${asked} calls only.`);
    }
    if (this.#counted !== asked) throw new Error(`The tool ran ${this.#counted} times for ${asked} calls.`);
    if (seen?.results !== asked || seen.failures !== this.#thrown) {
      const expected = `${asked} results with ${this.#thrown} failures`;
      throw new Error(
        `The model saw ${seen?.results} results with ${seen?.failures} failures, not ${expected}.`,
      );
    }
    return asked;
  }

  #nextCall(): Call {
    this.#asked += 1;
    return { id: `call-${this.#asked}`, text: argumentText };
  }
}
