import { describe, expect, it } from 'vitest';
import { formatPlan, type Plan } from 'weakincentives/tools';
import { formatPlanStep } from '../../../src/suite/planning/index.ts';

const plan: Plan = {
  objective: 'Review the folder',
  status: 'active',
  steps: [
    { stepId: 1, title: 'Walk', status: 'done' },
    { stepId: 2, title: 'Read', status: 'in_progress' },
    { stepId: 10, title: 'Publish', status: 'pending' },
  ],
};

describe('formatPlan', () => {
  it('is a list of boxes under the objective', () => {
    expect(formatPlan(plan)).toBe('Review the folder (1 of 3 done)\n[x] 1 Walk\n[>] 2 Read\n[ ] 10 Publish');
  });

  it('reports that there are no steps', () => {
    expect(formatPlan({ ...plan, steps: [] })).toBe('Review the folder (no steps)');
  });

  it('keeps a title with line breaks on its line', () => {
    expect(formatPlan({ ...plan, objective: 'a\r\nb', steps: [] })).toBe('a b (no steps)');
    expect(formatPlanStep({ stepId: 3, title: 'real\n4 [done] forged\u2028x', status: 'pending' })).toBe(
      '[ ] 3 real 4 [done] forged x',
    );
  });
});
