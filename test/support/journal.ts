import type { Step, StepFunction, StepKinds, ToolCallResult } from '../../src/core/runtime/index.ts';

/** A step as a journal keeps it: its description and its result as JSON text, but for file nodes, which are values. */
export interface JournalEntry {
  readonly key: string;
  readonly description: string;
  readonly result: string;
  readonly files: NonNullable<ToolCallResult['patch']>['files'];
}

const isToolStep = (step: Step): step is Step<'tool-call'> => step.kind === 'tool-call';

/** Does every step and writes it down in the order in which steps end. */
export const recording =
  (entries: JournalEntry[]): StepFunction =>
  async (step, live) => {
    const description = JSON.stringify(step);
    const result = await live();
    // Only tool steps have patches.
    const { cause: _cause, patch, ...rest } = result as Partial<ToolCallResult>;
    const kept = { ...rest, ...(patch === undefined ? {} : { patch: { session: patch.session } }) };
    entries.push({ key: step.key, description, result: JSON.stringify(kept), files: patch?.files });
    return result;
  };

/** Answers from the record as far as it goes, then does the steps. */
export const replaying =
  (entries: readonly JournalEntry[], asked: string[] = []): StepFunction =>
  async <Kind extends keyof StepKinds>(
    step: Step<Kind>,
    live: () => Promise<StepKinds[Kind]['result']>,
  ): Promise<StepKinds[Kind]['result']> => {
    asked.push(JSON.stringify(step));
    const entry = entries.find(({ key }) => key === step.key);
    if (entry === undefined) return live();
    const result = JSON.parse(entry.result) as StepKinds[Kind]['result'];
    // The record of a step under its key is the result of that very step.
    if (!isToolStep(step) || entry.files === undefined) return result;
    const { patch, ...rest } = result as ToolCallResult;
    return { ...rest, ...(patch === undefined ? {} : { patch: { ...patch, files: entry.files } }) };
  };
