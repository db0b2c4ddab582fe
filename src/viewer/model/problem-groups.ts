import type { RecordedProblem } from '../../record/index.ts';
import type { Mark } from './words.ts';

/** Problems of one kind. */
export interface ProblemGroup {
  readonly title: string;
  readonly items: readonly { readonly problem: RecordedProblem; readonly mark: Mark }[];
}

const kinds: Readonly<Record<RecordedProblem['kind'], { readonly title: string; readonly mark: Mark }>> = {
  'failed-run': { title: 'The run failed', mark: 'rolled-back' },
  'failed-call': { title: 'Rolled back', mark: 'rolled-back' },
  denied: { title: 'Denied', mark: 'denied' },
  rejected: { title: 'Rejected', mark: 'rejected' },
  'output-rejected': { title: 'Answer refused', mark: 'superseded' },
  incomplete: { title: 'Not ended', mark: 'running' },
  budget: { title: 'Budget passed', mark: 'rejected' },
  conflicts: { title: 'Ran again', mark: 'superseded' },
  'approval-wait': { title: 'Waited for a person', mark: 'ask' },
  slow: { title: 'Slow', mark: 'superseded' },
  'model-retry': { title: 'Model asked again', mark: 'superseded' },
  'model-changed': { title: 'Another model took over', mark: 'superseded' },
  repetition: { title: 'Repeated', mark: 'superseded' },
  'results-dropped': { title: 'Results dropped from the conversation', mark: 'superseded' },
  unenforced: { title: 'Not enforced', mark: 'denied' },
};

/** Problems by kind, those kinds first that come first in the list. */
export function problemGroups(problems: readonly RecordedProblem[]): readonly ProblemGroup[] {
  const groups = new Map<string, { problem: RecordedProblem; mark: Mark }[]>();
  for (const problem of [...problems].sort((a, b) => Number(b.isFailure) - Number(a.isFailure))) {
    const { title, mark } = kinds[problem.kind] ?? { title: problem.kind, mark: 'superseded' };
    const items = groups.get(title) ?? [];
    items.push({ problem, mark });
    groups.set(title, items);
  }
  return [...groups].map(([title, items]) => ({ title, items }));
}
