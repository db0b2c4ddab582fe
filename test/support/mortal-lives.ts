import {
  type AnyTool,
  type EvaluateOptions,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  type ResumeRunOptions,
  type RunJournal,
  type RunOutcome,
  resumeRun,
  Session,
  section,
} from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { journalOperations } from '../../src/core/runtime/index.ts';

/** What a life of a run gets. */
export interface Life {
  /** Number of the life, from 1. */
  readonly number: number;
  /** From here on nothing reaches the journal, as when the process is gone. Does nothing before the run begins. */
  die(): void;
}

/** What a life does. */
export interface LifeOptions extends Pick<EvaluateOptions, 'limits' | 'feedback' | 'completion' | 'signal'> {
  readonly adapter: ProviderAdapter;
  readonly prompt: Prompt;
  readonly approve?: NonNullable<ResumeRunOptions['approve']>;
  readonly answers?: ResumeRunOptions['answers'];
  readonly strict?: boolean;
}

/** A run that continues in one life after the other. */
export class MortalRun {
  readonly journal: RunJournal = memoryJournal();
  lives = 0;

  /** One more life: it begins the run or resumes it. Rejects with what the run rejects with. */
  async live(make: (life: Life) => LifeOptions): Promise<RunOutcome<unknown, never>> {
    this.lives += 1;
    let isDead = false;
    let hasBegun = false;
    const { journal } = this;
    const mortal: RunJournal = {
      ...journalOperations(journal),
      append: async (batch, lease) => {
        if (isDead) throw new Error('The process is gone.');
        return journal.append(batch, lease);
      },
      acquire: (sessionId, ended) => {
        hasBegun = true;
        return journal.acquire(sessionId, ended);
      },
    };
    const { adapter, prompt, answers, strict, ...options } = make({
      number: this.lives,
      die: () => {
        isDead = hasBegun;
      },
    });
    const session = new Session({ id: 'session' });
    const hasRows = (await journal.read('run')).length > 0;
    const shared = { ...options, journal: mortal, runId: 'run', session };
    const outcome = hasRows
      ? resumeRun({ ...shared, adapter, prompt, ...(answers && { answers }), ...(strict && { strict }) })
      : adapter.evaluate(prompt, { ...shared, input: 'go' });
    return (await outcome) as RunOutcome<unknown, never>;
  }

  /** Lives until the run has an outcome, or `max` of them. @returns the outcome; undefined when it has none. */
  async liveUntilDone(
    max: number,
    make: (life: Life) => LifeOptions,
  ): Promise<RunOutcome<unknown, never> | undefined> {
    for (let life = 1; life <= max; life += 1) {
      const outcome = await this.live(make).catch((error: unknown) => {
        if ((error as { readonly code?: string }).code !== 'run-lost') throw error;
      });
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  }

  /** How often the journal says that it was interrupted. */
  async interruptions(): Promise<number | undefined> {
    const [run] = await this.journal.runs({ runId: 'run' });
    return run?.interruptions;
  }

  /** Its rows, without those of a type that is not asked for. */
  async rows(type: string): Promise<readonly Record<string, unknown>[]> {
    const rows = await this.journal.read('run');
    return rows
      .filter((row) => row.type === type)
      .map(({ line }) => JSON.parse(line) as Record<string, unknown>);
  }
}

export function promptWith(tools: readonly AnyTool[], extra: object = {}): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'lives',
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools })],
    ...extra,
  }).bind();
}
