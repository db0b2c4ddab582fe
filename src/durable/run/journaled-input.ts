import { none, present } from '../../core/internal/index.ts';
import {
  type RunInbox,
  type RunInput,
  type RunJournal,
  type SaidMessage,
  type TakenInput,
  takenTogether,
} from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import type { Recorder } from '../../record/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';

/** What a {@link JournaledInput} works with. */
export interface JournaledInputOptions {
  readonly journal: Pick<RunJournal, 'messages'>;
  readonly runId: string;
  readonly recorder: Pick<Recorder, 'add'>;
  readonly writer: Pick<JournalWriter, 'take'>;
  /** Answers from the rows of the run; undefined for a new one. */
  readonly resumed: Pick<ResumedRun, 'inputFor' | 'isUsedUp' | 'says'> | undefined;
  /** What is said to the model when the run is resumed. */
  readonly asked: readonly UserItem[];
  /** Milliseconds of a clock. Must not throw. */
  readonly now: () => number;
}

/** For how long it is taken for known what waits for a run, in milliseconds: an append says it, and so does the journal where it can. */
const knownForMs = 1_000;

/**
 * What is said to a run with a journal: by `input` of `resumeRun`, and by messages of its inbox. Each is a row before the model is asked, and the rows have it when the run is resumed.
 *
 * @see docs/spec/durable-runs.md §19
 */
export class JournaledInput implements RunInput {
  readonly #options: JournaledInputOptions;
  #asked: readonly UserItem[];
  /** Messages that were read and not taken. */
  #waiting: SaidMessage[] = [];
  /** Names of all messages that were read: those that were taken are in the inbox until their rows are. */
  readonly #read = new Set<string>();
  #reading: Promise<void> | undefined;
  /** Whether more may have been said since the reading began. */
  #isStale = false;
  #knownAtMs: number;

  constructor(options: JournaledInputOptions) {
    this.#options = options;
    this.#asked = options.asked;
    // Nothing was said to a run that begins.
    this.#knownAtMs = options.resumed === undefined ? options.now() : Number.NEGATIVE_INFINITY;
  }

  /** What the journal says of the inbox. One that wraps another journal may leave it out. */
  onInbox(inbox: RunInbox | undefined): void {
    if (inbox === undefined) return;
    this.#knownAtMs = this.#options.now();
    if (inbox.waiting > this.#waiting.length) this.#readMore();
  }

  arriving(isEnd: boolean): Promise<void> | undefined {
    const { now, resumed } = this.#options;
    if (resumed?.isUsedUp === false) return undefined;
    const sinceMs = now() - this.#knownAtMs;
    if (isEnd || sinceMs < 0 || sinceMs > knownForMs) this.#readMore();
    return this.#reading;
  }

  hasFor(turn: number, mayContinue: boolean): boolean {
    const { resumed } = this.#options;
    if (resumed !== undefined && resumed.inputFor(turn).length > 0) return true;
    if (resumed?.isUsedUp === false) return false;
    return this.#asked.length > 0 || (mayContinue && this.#waiting.length > 0);
  }

  takeFor(turn: number, isBorder: boolean): TakenInput | undefined {
    const { resumed } = this.#options;
    const before = resumed?.inputFor(turn) ?? none;
    const isNew = isBorder && resumed?.isUsedUp !== false && this.#asked.length + this.#waiting.length > 0;
    if (isNew) return this.#takeNew(turn, before);
    return before.length === 0 ? undefined : { items: before, messages: none };
  }

  #takeNew(turn: number, before: readonly UserItem[]): TakenInput {
    const { recorder, resumed, writer } = this.#options;
    const said = takenTogether(this.#waiting);
    const asked = this.#asked;
    this.#waiting = [];
    this.#asked = none;
    for (const { items, messages } of said) {
      const { ids, by } = messages;
      recorder.add((part) => ({
        type: 'input',
        ...part,
        turn,
        items: rowItems(items),
        ids,
        ...present({ by }),
      }));
      for (const id of ids) writer.take(id);
    }
    if (asked.length > 0) recorder.add((part) => ({ type: 'input', ...part, turn, items: rowItems(asked) }));
    const items = [...said.flatMap((each) => each.items), ...asked];
    resumed?.says(turn, items.length);
    return { items: [...before, ...items], messages: said.map(({ messages }) => messages) };
  }

  #readMore(): void {
    this.#isStale = true;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
  }

  async #readAll(): Promise<void> {
    const { journal, now, runId } = this.#options;
    while (this.#isStale) {
      this.#isStale = false;
      this.#knownAtMs = now();
      // A journal that cannot be read ends the run otherwise; the messages wait.
      const messages = await journal.messages(runId).catch(() => none);
      for (const message of messages) {
        if (message.kind !== 'say' || this.#read.has(message.id)) continue;
        this.#read.add(message.id);
        this.#waiting.push(message);
      }
    }
  }
}

/** Items as a row has them. */
function rowItems(items: readonly UserItem[]): readonly JsonObject[] {
  return items.map((item) => ({ ...item }));
}
