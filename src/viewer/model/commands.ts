import type { RecordedCall, RunOutcomeSummary, RunRecord } from '../../record/index.ts';
import { openQuestions } from './overview.ts';

/** Where a record is from: a file, by its name without folders, or a run of a journal. */
export interface RecordPlace {
  readonly name: string;
  readonly isRun: boolean;
}

/** A command line that the page prints; it runs nothing. */
export interface PrintedCommand {
  readonly command: string;
  readonly about: string;
}

/** A word of a command line for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What can be done with a run, and with its record. */
export function commandsFor(
  record: RunRecord,
  { kind, code, failures }: RunOutcomeSummary<RecordedCall>,
  { name, isRun }: RecordPlace,
): readonly PrintedCommand[] {
  const run = shellWord(name);
  const found: PrintedCommand[] = [];
  const add = (command: string, about: string): void =>
    void found.push({ command: `wink ${command}`, about });
  if (isRun && kind === 'waiting') {
    const [question] = openQuestions(record);
    if (question === undefined) add(`resume ${run}`, 'continues with the answers');
    else {
      const answer = `approvals answer ${run} ${shellWord(question.digest.slice(0, 8))}`;
      add(`approvals show ${run}`, 'the whole question');
      add(
        `${answer} --yes`,
        question.about === 'changes'
          ? `lands exactly these changes; then wink resume ${run}`
          : `then wink resume ${run}`,
      );
      add(`${answer} --no --note "…"`, 'the model reads the note');
    }
  }
  if (isRun && (kind === 'failed' || kind === 'interrupted')) {
    const repeated = code === 'evaluation-failures-repeated' ? failures.at(-1)?.calls.length : undefined;
    const limit = repeated === undefined ? '' : ` --max-repeated-failures ${2 * repeated}`;
    add(`resume ${run}${limit}`, 'nothing that was committed is repeated');
  }
  if (failures.length > 0)
    add(
      `query ${run} "SELECT id, tool, params, message FROM calls WHERE outcome <> 'committed'"`,
      'every call that was not committed',
    );
  add(`replay ${run}`, 'again, without a model');
  return found;
}
